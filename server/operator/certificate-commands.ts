import { issueCertificateForOperator } from '../services/certificates/issue-certificate-for-operator.ts';
import {
  type CertificateForOperator,
  listCertificatesForOperator,
} from '../services/certificates/list-certificates-for-operator.ts';
import { type Command, command } from './command.ts';
import { fields, plain, table } from './format-text.ts';

export const certificateCommands: readonly Command[] = [
  command({
    name: 'certificates list',
    summary: 'List the certificates of the platform, with the record to set, and certificates with problems',
    run: listCertificatesForOperator,
    show: ({ platform, troubled }) =>
      [
        ...(platform.length === 0
          ? ['The platform has no certificate of its own.']
          : platform.map(showPlatform)),
        showTroubled(troubled),
      ].join('\n\n'),
  }),
  command({
    name: 'certificates issue',
    summary: 'Reissue a certificate immediately, e.g. when its key may have leaked',
    args: ['DOMAIN'],
    run: (context, { args }) => issueCertificateForOperator(context, { domain_name: args[0] ?? '' }),
    show: ({ domain_name, valid_until }) =>
      `${plain(domain_name)} has a new certificate, valid until ${valid_until}.`,
  }),
];

function showPlatform(certificate: CertificateForOperator): string {
  return fields({
    name: certificate.domain_name,
    record: `${certificate.challenge_name} CNAME ${certificate.challenge_target}`,
    'record stands': certificate.dns_challenge_validated,
    authority: certificate.authority,
    'valid until': certificate.valid_until,
    'renewed at': certificate.renew_at,
    problem: problemOf(certificate),
    'next attempt': certificate.next_attempt_at,
  });
}

function showTroubled(certificates: readonly CertificateForOperator[]): string {
  return table(
    ['DOMAIN', 'ORGANIZATION', 'VALID UNTIL', 'ATTEMPTS', 'NEXT ATTEMPT', 'PROBLEM'],
    certificates.map((certificate) => [
      certificate.domain_name,
      certificate.organization_id,
      certificate.valid_until,
      certificate.attempts,
      certificate.next_attempt_at,
      problemOf(certificate),
    ]),
    'No certificate of an organization has problems.',
  );
}

function problemOf({ problem, detail }: CertificateForOperator): string | null {
  return problem !== null && detail !== null ? `${problem}: ${detail}` : problem;
}
