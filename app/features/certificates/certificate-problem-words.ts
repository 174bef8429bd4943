import { msg } from '@lingui/core/macro';
import type { CertificateProblem } from '#server/services/certificates/rules.ts';
import type { ProblemWords } from './dns-problem-words.ts';

/** Why an attempt to issue did not succeed, and what to do next. Exhaustive by type. */
export const CERTIFICATE_PROBLEM_WORDS: Record<CertificateProblem, ProblemWords> = {
  challenge_missing: {
    wrong: msg`The challenge record does not stand, so that control of the hostname could not be proven.`,
    next: msg`Set it as shown under DNS records. Issuing goes on by itself once it is seen.`,
  },
  challenge_invisible: {
    wrong: msg`The answer to the challenge could not be seen from outside.`,
    next: msg`There is nothing for you to change. If this stays, tell whoever runs this installation.`,
  },
  caa_forbids: {
    wrong: msg`A CAA record of the domain does not allow this authority to issue.`,
    next: msg`Add the CAA record shown under DNS records, or remove the ones that stand.`,
  },
  dns_unavailable: {
    wrong: msg`The name servers of the domain did not answer.`,
    next: msg`If this stays, ask your DNS provider whether its name servers are up.`,
  },
  authority_unavailable: {
    wrong: msg`The certificate authority does not answer.`,
    next: msg`There is nothing for you to do.`,
  },
  authority_limit: {
    wrong: msg`The certificate authority takes no more requests for this domain for now.`,
    next: msg`There is nothing for you to do. Asking again earlier would not help.`,
  },
  refused: {
    wrong: msg`The certificate authority refused the request.`,
    next: msg`Its own words are below. If they mean nothing to you, show them to whoever runs this installation.`,
  },
  certificate_wrong: {
    wrong: msg`The certificate that came back cannot be used.`,
    next: msg`There is nothing for you to change. If this stays, tell whoever runs this installation.`,
  },
};
