/** Checks the proxy variables of the environment before anything is sent. */
import { ProblemError } from '../model/problem.ts';
import { parseProxy } from './parse-values.ts';

const VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'];

/** @throws ProblemError `setting.proxy` for an address that is not an HTTP proxy */
export function assertProxyVariables(env: NodeJS.ProcessEnv): void {
  for (const name of VARIABLES) {
    const value = env[name];
    if (value === undefined || value === '') continue;
    if ('value' in parseProxy(value)) continue;
    throw new ProblemError({
      code: 'setting.proxy',
      // The value is not shown, because it may contain a password.
      message: `${name} is not the address of an HTTP proxy. Nothing was sent.`,
      hint: 'Expected an address such as http://user:password@proxy.example:3128. To bypass the proxy, unset the variable or add the host to NO_PROXY.',
    });
  }
}
