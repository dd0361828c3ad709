package tracing

import (
	"fmt"
	"slices"
	"strings"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// Samplers are the values of OTEL_TRACES_SAMPLER that are known here (OpenTelemetry specification, "SDK Environment
// Variables").
func Samplers() []string {
	return []string{"parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio", "always_on", "always_off", "traceidratio"}
}

// HasRatio says whether a sampler takes a ratio, from 0 to 1.
func HasRatio(sampler string) bool { return strings.HasSuffix(sampler, "traceidratio") }

func (o Options) sampler() (sdk.Sampler, error) {
	if !slices.Contains(Samplers(), o.Sampler) {
		return nil, fmt.Errorf("the sampler %q is unknown: use one of %s", o.Sampler, strings.Join(Samplers(), ", "))
	}
	name, byParent := strings.CutPrefix(o.Sampler, "parentbased_")
	root := sdk.AlwaysSample()
	switch name {
	case "always_off":
		root = sdk.NeverSample()
	case "traceidratio":
		root = sdk.TraceIDRatioBased(o.Ratio)
	}
	if byParent {
		return sdk.ParentBased(root), nil
	}
	return root, nil
}
