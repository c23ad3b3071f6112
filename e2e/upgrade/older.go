// Package upgrade names the older build that upgrades come from and downgrades go back to.
package upgrade

// Older is the commit of that build. `./dev test --full` makes its program, with the packages and the compiler of today, keeps it by this
// name, and passes it on in STEWARD_OLDER_BIN. Choose another one when what is stored is no longer to be read by both.
const Older = "ddd37456f95442234e3bf0fa23beeb085206350b"
