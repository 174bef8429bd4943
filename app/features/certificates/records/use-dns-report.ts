import { useEffect, useRef } from 'react';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { isLocalName } from '#server/services/certificates/rules.ts';
import { trpc } from '../../../trpc.ts';
import { useEndpointParams } from '../../cdn/endpoint/use-endpoint-params.ts';

/** Changes are awaited: the records are inspected again while the page is visible. */
const PENDING_MS = 10_000;
const SETTLED_MS = 60_000;

/**
 * Returns the DNS report of an endpoint's records, inspected repeatedly while the page is visible. When the
 * report is ahead of the endpoint, the endpoint is loaded again. Local names are not inspected.
 */
export function useDnsReport(endpoint: Endpoint) {
  const ofEndpoint = useEndpointParams();
  const { organization_id } = ofEndpoint;
  const { bundle, hostname } = endpoint;
  const utils = trpc.useUtils();
  const isSettled = bundle !== null && bundle.issued_at !== null && bundle.dns_validated;
  const report = trpc.certificates.dnsReport.useQuery(
    { organization_id, bundle_id: bundle?.id ?? '' },
    {
      enabled: bundle !== null && !isLocalName(hostname),
      refetchInterval: isSettled ? SETTLED_MS : PENDING_MS,
      staleTime: PENDING_MS / 2,
    },
  );

  const { data } = report;
  const isNews =
    data !== undefined &&
    bundle !== null &&
    (data.is_reached !== bundle.dns_validated || data.is_delegated !== bundle.dns_challenge_validated);
  const seenAt = useRef<string | null>(null);
  useEffect(() => {
    if (!isNews || data.checked_at === seenAt.current) return;
    seenAt.current = data.checked_at;
    void utils.cdn.get.invalidate(ofEndpoint);
  }, [isNews, data, utils, ofEndpoint]);
  return report;
}
