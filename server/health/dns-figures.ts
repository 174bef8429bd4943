import type { Registry } from 'prom-client';
import { sharedCounter } from '../shared-counter.ts';

/** By the numbers of RFC 1035 and 6891, those that this server sends. */
const RCODE_NAMES: Readonly<Record<number, string>> = {
  0: 'noerror',
  1: 'formerr',
  2: 'servfail',
  3: 'nxdomain',
  4: 'notimp',
  5: 'refused',
};

/** Adds what the name server answers to the figures; returns what is to be told of each message. */
export function showDnsFigures(registry: Registry): (transport: 'udp' | 'tcp', rcode: number | null) => void {
  const answers = sharedCounter(registry, {
    name: 'portage_dns_answers_total',
    help: 'Messages to the name server by what was answered; "none" is silence, for nonsense and beyond the limits.',
    labelNames: ['transport', 'rcode'],
  });
  return (transport, rcode) =>
    answers.inc({ transport, rcode: rcode === null ? 'none' : (RCODE_NAMES[rcode] ?? 'other') });
}
