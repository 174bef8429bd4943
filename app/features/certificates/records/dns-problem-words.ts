import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { DnsProblem } from '#server/services/certificates/rules.ts';
import type { DnsFact } from '#server/services/certificates/schema.ts';

/** What is wrong with a record in one sentence, and what to do next in another. */
export interface ProblemWords {
  wrong: MessageDescriptor;
  next: MessageDescriptor;
}

/**
 * Each problem of a record. Values: its `name`, the `domain` of that, and the `target` expected. Exhaustive
 * by type.
 */
const DNS_PROBLEM_WORDS: Record<DnsProblem, ProblemWords> = {
  record_missing: {
    wrong: msg({ message: 'There is no such record at {name} yet.' }),
    next: msg`Add it at your DNS provider. DNS changes usually show up within a few minutes.`,
  },
  domain_missing: {
    wrong: msg({ message: 'The domain {domain} does not exist in the public DNS.' }),
    next: msg`Check its spelling, its expiry date and the name servers set at your registrar.`,
  },
  points_elsewhere: {
    wrong: msg({ message: '{name} points elsewhere.' }),
    next: msg`Replace the record that was found with the expected one.`,
  },
  dangling: {
    wrong: msg({ message: '{name} points to a name that does not exist.' }),
    next: msg`Correct the value of the record: a letter may be wrong, or its target may no longer exist.`,
  },
  name_doubled: {
    wrong: msg({ message: 'The record is correct, but its name contains the domain twice.' }),
    next: msg`Your DNS provider adds the domain automatically. Enter the name without the domain.`,
  },
  target_doubled: {
    wrong: msg({ message: 'Your own domain was appended to the value of the record.' }),
    next: msg`End the value with a dot, or enter it as your DNS provider wants names of other domains.`,
  },
  stale_ipv6: {
    wrong: msg({
      message: 'Only some addresses of {name} point here: IPv4 and IPv6 go to different servers.',
    }),
    next: msg`Remove the address records that point elsewhere, usually an old AAAA record. Until then, some visitors see the other server.`,
  },
  proxied: {
    wrong: msg({ message: '{name} is behind another network’s proxy.' }),
    next: msg`Turn the proxy off for this record. At Cloudflare that is the grey cloud, “DNS only”.`,
  },
  apex_elsewhere: {
    wrong: msg({
      message: '{name} is the domain itself, which cannot have a CNAME record, and points elsewhere.',
    }),
    next: msg`Replace the records that were found with one of the options below.`,
  },
  challenge_is_text: {
    wrong: msg({ message: 'There is a TXT record at {name}, where the CNAME record must be.' }),
    next: msg`Remove the TXT record, then add the CNAME record: the two cannot exist at the same name.`,
  },
  challenge_zone_unreachable: {
    wrong: msg({ message: 'The record is correct, but the name server behind {target} does not respond.' }),
    next: msg`There is nothing to change at your DNS provider. Tell the operator of this installation.`,
  },
  caa_forbids: {
    wrong: msg({ message: 'CAA records at {name} do not allow this authority to issue certificates.' }),
    next: msg`Add this record alongside the existing ones.`,
  },
  resolver_timeout: {
    wrong: msg({ message: 'The name servers of {name} did not answer in time.' }),
    next: msg`We will check again automatically. If this persists, ask your DNS provider whether its name servers are up.`,
  },
  resolver_failed: {
    wrong: msg({ message: 'The name servers of {name} answer with an error.' }),
    next: msg`DNSSEC is often the cause: compare the DS record at your registrar with the keys at your DNS provider.`,
  },
};

/** Returns the text for a record's problem, with its names filled in; null when there is none. */
export function dnsProblemWords(fact: DnsFact, registeredDomain: string | null): ProblemWords | null {
  if (fact.problem === null) return null;
  const { wrong, next } = DNS_PROBLEM_WORDS[fact.problem];
  const { name } = fact;
  const values = { name, domain: registeredDomain ?? name, target: fact.expected[0] ?? '' };
  return { wrong: { ...wrong, values }, next };
}
