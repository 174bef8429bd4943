import { AuthorityError, type CertificateAuthority } from './authority.ts';

async function refuse(): Promise<never> {
  throw new AuthorityError('unavailable', 'This process has started without the database.');
}

/** In place of an authority that could not be opened: for processes that only use certificates. */
export const absentAuthority: CertificateAuthority = {
  name: 'absent',
  title: 'absent',
  needsProof: true,
  caaIdentities: refuse,
  openOrder: refuse,
  readOrder: refuse,
  answerChallenges: refuse,
  finalize: refuse,
  download: refuse,
  findRenewalWindow: refuse,
};
