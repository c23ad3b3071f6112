package cluster

import "context"

// Family is a process of `steward controllers` that an API server asks by gRPC.
type Family struct {
	// Account is its ServiceAccount, and Reconcilers what runs in it.
	Account, Reconcilers string
	// Flag is how the API server's flag of its address begins: "controllers", "plan-controllers".
	Flag string
	// Flags may be added to until it is started.
	Flags []string
	// Kubeconfig is that of its account, from the first start on.
	Kubeconfig string
	Process    *Controllers
}

// Link chooses addresses and certificates by which an API server asks these families: it sets their flags, and returns those of the API server.
func (c *Cluster) Link(families ...*Family) (flags []string, err error) {
	authority, err := NewAuthority("families-ca")
	if err != nil {
		return nil, err
	}
	ca, err := authority.Write(c.Dir, "families-ca")
	if err != nil {
		return nil, err
	}
	server, err := authority.Server(c.Dir, "families-server", "localhost")
	if err != nil {
		return nil, err
	}
	client, err := authority.Client(c.Dir, stewardName, stewardName)
	if err != nil {
		return nil, err
	}
	flags = []string{"--controllers-ca-file=" + ca, "--controllers-client-cert-file=" + client.Cert, "--controllers-client-key-file=" + client.Key}
	for _, each := range families {
		address, err := FreeAddress()
		if err != nil {
			return nil, err
		}
		each.Flags = append(each.Flags, "--reconcilers="+each.Reconcilers, "--leader-elect=false", "--grpc-bind-address="+address,
			"--grpc-tls-cert-file="+server.Cert, "--grpc-tls-private-key-file="+server.Key, "--grpc-client-ca-file="+ca, "--v=2")
		flags = append(flags, "--"+each.Flag+"-address="+address)
	}
	return flags, nil
}

// StartFamily starts a family under the rights that deploy/ gives its account.
func (c *Cluster) StartFamily(ctx context.Context, f *Family) (err error) {
	if f.Kubeconfig == "" {
		if f.Kubeconfig, err = c.ServiceAccount(ctx, stewardNamespace, f.Account); err != nil {
			return err
		}
	}
	f.Process, err = c.RunControllersAs(ctx, f.Kubeconfig, f.Account, f.Flags...)
	return err
}

// Stop ends its process, if there is one.
func (f *Family) Stop() error {
	if f.Process == nil {
		return nil
	}
	return f.Process.Stop()
}
