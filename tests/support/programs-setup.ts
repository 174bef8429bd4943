import { ensureDebianPackages } from './debian-packages.ts';

/** The programs that the data plane is tried with, installed before any test waits for one. */
const PACKAGES = ['bind9-dnsutils', 'curl', 'knot', 'openssl', 'pebble', 'unbound'];

export default function setUp(): void {
  ensureDebianPackages(PACKAGES);
}
