import { App } from 'aws-cdk-lib'
import { BackstopStack, stackNameOf } from './backstop-stack.ts'
import { ConfigError } from './errors.ts'
import { localConfig } from './local-config.ts'

/** The app of the local host. It trusts the simulators' keys, which are public, so that it must never reach an account. */
const config = localConfig()
const stack = new BackstopStack(new App(), stackNameOf(config), { config })
// The local host runs the sources. Whoever has functions bundled, as the CDK's command line does, means to deploy them.
if (stack.bundlingRequired) throw new ConfigError('stage: local can be synthesized by the local host only.')
