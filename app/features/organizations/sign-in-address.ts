/**
 * Returns the address of a sign-in that leads back to a page. `register` shows the registration first;
 * `email` is suggested in the form.
 */
export function signInAddress(
  returnTo: string,
  options: { register?: boolean; email?: string | null } = {},
): string {
  const search = new URLSearchParams({ return_to: returnTo });
  if (options.register) search.set('register', '1');
  if (options.email) search.set('login_hint', options.email);
  return `/auth/login?${search}`;
}
