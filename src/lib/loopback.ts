/** Whether a URL's host name (as `new URL` gives it) is this machine: where no key and no proxy is at risk. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}
