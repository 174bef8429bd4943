import type { Locator, Page } from 'playwright';
import type { SignedInVisitor } from './journey.ts';

/** Signs in again in the window that the question about an ended session opens, and returns that window. */
export async function signInAgain(
  { context, person }: Pick<SignedInVisitor, 'context' | 'person'>,
  question: Locator,
): Promise<Page> {
  const opening = context.waitForEvent('page');
  await question.getByRole('link', { name: 'Sign in again' }).click();
  const beside = await opening;
  await beside.getByLabel('Email').fill(person.account.email);
  await beside.getByLabel('Password', { exact: true }).fill(person.account.password);
  await beside.getByRole('button', { name: 'Sign in', exact: true }).click();
  return beside;
}
