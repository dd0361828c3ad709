package main

import (
	"strings"
	"testing"
)

func TestStandardVariablesSwitchTracesOn(t *testing.T) {
	for name, c := range map[string]struct {
		environ           []string
		endpoint, sampler string
		disabled          bool
	}{
		"none":                             {nil, "", "parentbased_always_on", false},
		"the endpoint":                     {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318"}, "http://c:4318", "parentbased_always_on", false},
		"the endpoint of traces":           {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://t:4318/v1/traces"}, "http://t:4318/v1/traces", "parentbased_always_on", false},
		"our own variable before it":       {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318", "TOOLSEARCH_OTEL_EXPORTER_OTLP_ENDPOINT=http://o:4318"}, "http://o:4318", "parentbased_always_on", false},
		"no exporter":                      {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318", "OTEL_TRACES_EXPORTER=none"}, "", "parentbased_always_on", false},
		"an endpoint of another form":      {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=c:4317"}, "", "parentbased_always_on", false},
		"a sampler":                        {[]string{"OTEL_TRACES_SAMPLER=always_off"}, "", "always_off", false},
		"a sampler that is not known here": {[]string{"OTEL_TRACES_SAMPLER=jaeger_remote", "OTEL_TRACES_SAMPLER_ARG=endpoint=x"}, "", "parentbased_always_on", false},
		"disabled":                         {[]string{"OTEL_SDK_DISABLED=TRUE"}, "", "parentbased_always_on", true},
		"another word for disabled":        {[]string{"OTEL_SDK_DISABLED=maybe"}, "", "parentbased_always_on", false},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := load(given{}, c.environ)
			if err != nil {
				t.Fatal(err)
			}
			if s.OTLPEndpoint != c.endpoint || s.OTelSampler != c.sampler || s.OTelSDKDisabled != c.disabled {
				t.Errorf("%q %q %t", s.OTLPEndpoint, s.OTelSampler, s.OTelSDKDisabled)
			}
		})
	}
}

func TestMistakesAboutTracesAreTold(t *testing.T) {
	const prefix = envPrefix + "OTEL_"
	for want, set := range map[string]given{
		"--otlp-endpoint: the value is no":             {prefix + "EXPORTER_OTLP_ENDPOINT": "c:4317"},
		"--otlp-endpoint: the value must hold no user": {prefix + "EXPORTER_OTLP_ENDPOINT": "http://a:s3cret@c"},
		"--otlp-protocol":                              {prefix + "EXPORTER_OTLP_ENDPOINT": "http://c", prefix + "EXPORTER_OTLP_PROTOCOL": "http/json"},
		"--otlp-headers: the value is no list":         {prefix + "EXPORTER_OTLP_ENDPOINT": "http://c", prefix + "EXPORTER_OTLP_HEADERS": "s3cret"},
		"--otel-resource-attributes: the value":        {prefix + "EXPORTER_OTLP_ENDPOINT": "http://c", prefix + "RESOURCE_ATTRIBUTES": "s3cret"},
		"--otel-traces-sampler: \"often\"":             {prefix + "EXPORTER_OTLP_ENDPOINT": "http://c", prefix + "TRACES_SAMPLER": "often"},
		"--otel-traces-sampler-arg: 2 is no ratio":     {prefix + "EXPORTER_OTLP_ENDPOINT": "http://c", prefix + "TRACES_SAMPLER_ARG": "2"},
		"--otlp-ca: it counts for http/protobuf only":  {prefix + "EXPORTER_OTLP_ENDPOINT": "https://c", prefix + "EXPORTER_OTLP_PROTOCOL": "grpc", prefix + "EXPORTER_OTLP_CERTIFICATE": "x.pem"},
		"--otlp-ca: the file can't be read":            {prefix + "EXPORTER_OTLP_ENDPOINT": "https://c", prefix + "EXPORTER_OTLP_CERTIFICATE": "nothing.pem"},
	} {
		s, err := load(set, nil)
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		for _, err := range s.tracingMistakes() {
			if err != nil {
				told = append(told, err.Error())
			}
		}
		if len(told) != 1 || !strings.Contains(told[0], want) || strings.Contains(told[0], "s3cret") {
			t.Errorf("told %q, want %q", told, want)
		}
	}
}
