package stage

import (
	"bytes"
	"testing"
)

// Variants must not share what a cache could share, and must weigh what the original weighs.
func TestVariantsDiffer(t *testing.T) {
	csv := standIn("one.v1.0.0", 30_000, 10_000, 5_000)
	icon := func(number int) []byte {
		object := variant(csv, number)
		text := object.Object["spec"].(map[string]any)["icon"].([]any)[0].(map[string]any)["base64data"].(string)
		return []byte(text)
	}
	first, second := icon(1), icon(2)
	if bytes.Equal(first, second) || len(first) != len(second) {
		t.Errorf("icons of %d and %d bytes: equal %v", len(first), len(second), bytes.Equal(first, second))
	}
	if original := icon(1); !bytes.Equal(first, original) {
		t.Error("a variant is not the same each time")
	}
	if a, b := variant(csv, 1).GetName(), variant(csv, 2).GetName(); a == b {
		t.Errorf("two variants are named %s", a)
	}
	a, _ := csv.MarshalJSON()
	b, _ := variant(csv, 7).MarshalJSON()
	if difference := len(a) - len(b); difference > 100 || difference < -100 {
		t.Errorf("a variant has %d bytes, its original %d", len(b), len(a))
	}
}
