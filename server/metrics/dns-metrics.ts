import type { Registry } from 'prom-client';
import { sharedCounter, sharedHistogram } from './shared-metrics.ts';

/** By the numbers of RFC 1035 and 6891 that this server sends. */
const RCODE_NAMES: Readonly<Record<number, string>> = {
  0: 'noerror',
  1: 'formerr',
  2: 'servfail',
  3: 'nxdomain',
  4: 'notimp',
  5: 'refused',
};

/**
 * Adds the name server's answers and their latency to the metrics; returns the function to call for each
 * message.
 */
export function showDnsFigures(
  registry: Registry,
): (transport: 'udp' | 'tcp', rcode: number | null, ms: number) => void {
  const answers = sharedCounter(registry, {
    name: 'portage_dns_answers_total',
    help: 'Messages to the name server by what was answered; "none" is silence, for nonsense and beyond the limits.',
    labelNames: ['transport', 'rcode'],
  });
  const seconds = sharedHistogram(registry, {
    name: 'portage_dns_answer_seconds',
    help: 'From a message to the name server to its answer.',
    labelNames: ['transport'],
    buckets: [0.0001, 0.0005, 0.001, 0.005, 0.025, 0.1, 0.5, 2],
  });
  return (transport, rcode, ms) => {
    answers.inc({ transport, rcode: rcode === null ? 'none' : (RCODE_NAMES[rcode] ?? 'other') });
    if (rcode !== null) seconds.observe({ transport }, ms / 1000);
  };
}
