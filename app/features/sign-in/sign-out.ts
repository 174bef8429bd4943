import { dropDrafts } from '../../components/forms/use-draft.ts';

/**
 * Ends the session and goes to `/` or another address, with a fresh page so that nothing of the person stays
 * in memory.
 * @throws on refusal
 */
export async function signOut(leadTo = '/'): Promise<void> {
  const response = await fetch('/auth/logout', { method: 'POST' });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  dropDrafts();
  window.location.assign(leadTo);
}
