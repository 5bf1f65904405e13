"""The host: manifests, plugins, commands, settings, jobs, events, errors. No Qt."""
