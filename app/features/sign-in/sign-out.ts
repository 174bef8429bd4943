/** Ends the session and goes to `/`, with a fresh page so that nothing of the person stays in memory. @throws on refusal */
export async function signOut(): Promise<void> {
  const response = await fetch('/auth/logout', { method: 'POST' });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  window.location.assign('/');
}
