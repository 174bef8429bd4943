import { msg } from '@lingui/core/macro';
import type { CertificateProblem } from '#server/services/certificates/rules.ts';
import type { ProblemWords } from '../records/dns-problem-words.ts';

/** Why an attempt to issue failed, and what to do next. Exhaustive by type. */
export const CERTIFICATE_PROBLEM_WORDS: Record<CertificateProblem, ProblemWords> = {
  challenge_missing: {
    wrong: msg`The challenge record is not in place, so control of the hostname could not be proven.`,
    next: msg`Add it as shown under DNS records. Issuing continues automatically once we see it.`,
  },
  challenge_invisible: {
    wrong: msg`The answer to the challenge could not be seen from outside.`,
    next: msg`You do not need to change anything. If this persists, tell the operator of this installation.`,
  },
  caa_forbids: {
    wrong: msg`A CAA record of the domain does not allow this authority to issue certificates.`,
    next: msg`Add the CAA record shown under DNS records, or remove the existing ones.`,
  },
  dns_unavailable: {
    wrong: msg`The name servers of the domain did not answer.`,
    next: msg`If this persists, ask your DNS provider whether its name servers are up.`,
  },
  authority_unavailable: {
    wrong: msg`The certificate authority is not responding.`,
    next: msg`You do not need to do anything.`,
  },
  authority_limit: {
    wrong: msg`The certificate authority is not accepting more requests for this domain for now.`,
    next: msg`You do not need to do anything. Requesting it again sooner would not help.`,
  },
  refused: {
    wrong: msg`The certificate authority refused the request.`,
    next: msg`Its message is below. If it is unclear, show it to the operator of this installation.`,
  },
  certificate_wrong: {
    wrong: msg`The certificate received cannot be used.`,
    next: msg`You do not need to change anything. If this persists, tell the operator of this installation.`,
  },
};
