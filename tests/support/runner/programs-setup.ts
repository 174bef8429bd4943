import { S3_PROGRAM_PACKAGES } from '../storage/s3-programs.ts';
import { ensureDebianPackages } from './debian-packages.ts';

/** The programs used to test the data plane, installed before any test waits for one. */
const PACKAGES = [
  ...[
    'bind9',
    'bind9-dnsutils',
    'caddy',
    'curl',
    'git',
    'iproute2',
    'jq',
    'knot',
    'nftables',
    'nginx',
    'openssl',
  ],
  ...['pebble', 'prometheus', 'unbound'],
  ...S3_PROGRAM_PACKAGES,
];

/** Installs those that are missing. */
export function ensurePrograms(): void {
  ensureDebianPackages(PACKAGES);
}

/** A part of the tests may need none of them; those that do say which is missing. */
export default function setup(): void {
  try {
    ensurePrograms();
  } catch {
    // Not root, or no package manager.
  }
}
