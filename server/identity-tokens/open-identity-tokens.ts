import type { IdentityTokenOptions, IdentityTokens } from './check-identity-token.ts';

/** Returns the verification of tokens; its library is loaded for the first token, because most processes never see one. */
export function openIdentityTokens(options: IdentityTokenOptions): IdentityTokens {
  let opened: Promise<IdentityTokens> | undefined;
  const open = async () => {
    const { createIdentityTokens } = await import('./check-identity-token.ts');
    return createIdentityTokens(options);
  };
  return {
    async check(token) {
      opened ??= open();
      return (await opened).check(token);
    },
  };
}
