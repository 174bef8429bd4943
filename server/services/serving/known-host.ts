import type { App } from '#server/context.ts';
import type { EdgeHost } from '#server/edge/ports.ts';
import type { MeterOf } from '#server/metering/usage-meters.ts';
import type { IsStoppedHere } from '../billing/spending/is-over-limit.ts';

interface KnownHostBase {
  readonly organizationId: string;
  /** The custom hostname's endpoint; null at the platform's own names. */
  readonly endpointId: string | null;
  /** The end of the certificate of a custom hostname, in epoch milliseconds; null without one. */
  readonly certificateUntil: number | null;
  /** Sent while that certificate is valid. */
  readonly strictTransportSeconds: number;
  readonly isSuspended: boolean;
  readonly isOverLimit: boolean;
  readonly isMetered: boolean;
}

export interface KnownSiteHost extends KnownHostBase {
  readonly kind: 'site' | 'preview';
  readonly siteId: string;
  readonly versionId: string | null;
  readonly spaFallback: boolean;
}

export interface KnownRedirectHost extends KnownHostBase {
  readonly kind: 'redirect';
  readonly target: string;
}

/** What the database says about a hostname: plain data, the same for every edge and at any time. */
export type KnownHost = KnownSiteHost | KnownRedirectHost;

/** What one edge knows about the hosts it serves. */
export interface HostParts {
  readonly meterOf: MeterOf;
  readonly isStoppedHere: IsStoppedHere;
}

/** Counts nothing and stops nothing. */
export const plainParts: HostParts = { meterOf: () => null, isStoppedHere: () => false };

/** Returns the host with the limit that this edge itself has found to be reached. */
export function withOwnStops<T extends KnownHost>(host: T, { isStoppedHere }: HostParts): T {
  const isStopped = isStoppedHere(host.organizationId, [host.endpointId, siteIdOf(host)]);
  return host.isMetered && isStopped && !host.isOverLimit ? { ...host, isOverLimit: true } : host;
}

/** Returns a host as edges serve it now. https requires a currently valid certificate. */
export function toEdgeHost(
  { clock }: Pick<App, 'clock'>,
  known: KnownHost,
  parts: HostParts = plainParts,
): EdgeHost {
  const { organizationId, endpointId, certificateUntil, isMetered, ...host } = withOwnStops(known, parts);
  const isHttpsOnly = certificateUntil !== null && certificateUntil > clock.now();
  const siteId = siteIdOf(known);
  const { isOverLimit, ...rest } = host;
  return {
    ...rest,
    endpointId,
    isHttpsOnly,
    strictTransportSeconds: isHttpsOnly ? host.strictTransportSeconds : 0,
    isSuspended: host.isSuspended || isOverLimit,
    ...(!host.isSuspended && isOverLimit && { isOverLimit }),
    meter: isMetered ? parts.meterOf({ organizationId, endpointId, siteId }) : null,
  };
}

export function siteIdOf(host: KnownHost): string | null {
  return host.kind === 'redirect' ? null : host.siteId;
}
