/** Per site. */
export const PUBLISHERS_MAX = 10;

/** A credential that was exchanged for an identity token works as long as a deploy of many files may take. */
export const EXCHANGED_MINUTES = 15;

/** Code hosts whose issuer is the same everywhere, by their well-known names. */
export const CODE_HOSTS = [
  { issuer: 'https://token.actions.githubusercontent.com', name: 'GitHub' },
  { issuer: 'https://gitlab.com', name: 'GitLab.com' },
] as const;

/** Returns a branch as stored in a rule: full refs stay, `*` is any. */
export function refOf(branch: string): string {
  return branch === '*' || branch.startsWith('refs/') ? branch : `refs/heads/${branch}`;
}

/** Returns a ref as people write it. */
export function branchOf(ref: string): string {
  return ref.replace(/^refs\/heads\//, '');
}

/** Whether a ref matches a rule: the same, any, or with the prefix before `*`. */
export function isRefMeant(rule: string, ref: string): boolean {
  return rule.endsWith('*') ? ref.startsWith(rule.slice(0, -1)) : rule === ref;
}
