import { ConfigError } from './config-error.ts';
import type { Role } from './environment-schema.ts';

interface ListeningSettings {
  ROLES: readonly Role[];
  BIND_ADDRESS?: string | undefined;
  CONSOLE_BIND_ADDRESS?: string | undefined;
  S3_BIND_ADDRESS?: string | undefined;
  HEALTH_BIND_ADDRESS: string;
  CONSOLE_PORT: number;
  EDGE_HTTP_PORT: number;
  EDGE_HTTPS_PORT: number;
  S3_PORT: number;
  DNS_PORT: number;
  HEALTH_PORT?: number | undefined;
}

/**
 * Processes of one machine share listening sockets by address and port, so two roles at one port would take
 * each other's connections instead of failing.
 * @throws ConfigError naming the second of two settings with the same port at the same address
 */
export function requireSeparatePorts(env: ListeningSettings): void {
  const { ROLES: roles, BIND_ADDRESS: bind } = env;
  const listeners = [
    { role: 'console', setting: 'CONSOLE_PORT', address: env.CONSOLE_BIND_ADDRESS ?? bind },
    { role: 'edge', setting: 'EDGE_HTTP_PORT', address: bind },
    { role: 'edge', setting: 'EDGE_HTTPS_PORT', address: bind },
    { role: 's3', setting: 'S3_PORT', address: env.S3_BIND_ADDRESS ?? bind },
    { role: 'dns', setting: 'DNS_PORT', address: bind },
    { role: null, setting: 'HEALTH_PORT', address: env.HEALTH_BIND_ADDRESS },
  ] as const;
  // Port 0 means any free one.
  const open = listeners.filter(
    ({ role, setting }) => (role === null || roles.includes(role)) && env[setting],
  );
  for (const [index, listener] of open.entries()) {
    const earlier = open
      .slice(0, index)
      .find(
        ({ setting, address }) =>
          env[setting] === env[listener.setting] && overlap(address, listener.address),
      );
    if (earlier) {
      throw new ConfigError(`${listener.setting} cannot be used: ${earlier.setting} is the same port.`);
    }
  }
}

function overlap(first: string | undefined, second: string | undefined): boolean {
  return first === second || isEveryAddress(first) || isEveryAddress(second);
}

function isEveryAddress(address: string | undefined): boolean {
  return address === undefined || address === '0.0.0.0' || address === '::';
}
