/** Rules of accounts at the embedded identity service, shared by the verbs and the forms. */
export const PASSWORD_MIN_LENGTH = 10;
export const PASSWORD_MAX_LENGTH = 200;
export const LOGIN_MIN_LENGTH = 2;
export const LOGIN_MAX_LENGTH = 39;

/** The most common passwords that are long enough to pass the length rule. */
const COMMON_PASSWORDS: ReadonlySet<string> = new Set([
  '0123456789',
  '1234567890',
  '12345678910',
  '123456789a',
  '1234567891',
  '0987654321',
  '9876543210',
  '1q2w3e4r5t',
  '1q2w3e4r5t6y',
  '1qaz2wsx3edc',
  'abcdefghij',
  'abcd123456',
  'administrator',
  'azertyuiop',
  'basketball',
  'changeme123',
  'chocolate1',
  'iloveyou12',
  'iloveyou123',
  'letmein123',
  'letmeinnow',
  'motdepasse',
  'motdepasse1',
  'motdepasse123',
  'password10',
  'password12',
  'password123',
  'password1234',
  'password12345',
  'passw0rd123',
  'qwerty12345',
  'qwerty123456',
  'qwertyuiop',
  'qwertyuiop123',
  'qwertzuiop',
  'superman123',
  'welcome123',
  'welcome1234',
  'zaq12wsxcde3',
]);

export type PasswordProblem = 'too_short' | 'too_long' | 'same_as_email' | 'common';
export type LoginProblem = 'length' | 'characters';

/** Returns the problem of a new password, or null when it may be used. */
export function passwordProblem(password: string, email: string): PasswordProblem | null {
  if (password.length < PASSWORD_MIN_LENGTH) return 'too_short';
  if (password.length > PASSWORD_MAX_LENGTH) return 'too_long';
  const lower = password.trim().toLowerCase();
  if (lower === email.trim().toLowerCase()) return 'same_as_email';
  if (COMMON_PASSWORDS.has(lower) || /^(.)\1*$/.test(lower)) return 'common';
  return null;
}

/** The English sentence of each problem, for the API; the console has its own text. */
export const PASSWORD_PROBLEM_MESSAGE: Record<PasswordProblem, string> = {
  too_short: `Use at least ${PASSWORD_MIN_LENGTH} characters`,
  too_long: `Use at most ${PASSWORD_MAX_LENGTH} characters`,
  same_as_email: 'The password must not be the email address',
  common: 'This is one of the most common passwords; choose another',
};

/**
 * Returns the problem of a user name (2 to 39 of a-z, 0-9 and hyphens inside), or null when it may be used.
 */
export function loginProblem(login: string): LoginProblem | null {
  if (login.length < LOGIN_MIN_LENGTH || login.length > LOGIN_MAX_LENGTH) return 'length';
  return /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(login) ? null : 'characters';
}

export const LOGIN_PROBLEM_MESSAGE: Record<LoginProblem, string> = {
  length: `Use ${LOGIN_MIN_LENGTH} to ${LOGIN_MAX_LENGTH} characters`,
  characters: 'Use only a-z, 0-9 and hyphens, with a letter or digit at both ends',
};

/** Returns a user name derived from an email address, as a first suggestion; it may be taken. */
export function suggestLogin(email: string): string {
  const name = (email.split('@')[0] ?? '')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|(?<!-)-+$/g, '')
    .slice(0, LOGIN_MAX_LENGTH)
    .replace(/(?<!-)-+$/, '');
  return name.length >= LOGIN_MIN_LENGTH ? name : '';
}
