import { describe, expect, it } from 'vitest';
import { loginProblem, passwordProblem, suggestLogin } from './account-rules.ts';

describe('a new password', () => {
  it.each([
    ['correct horse', null],
    ['abcde fghi', null],
    ['короткий пароль', null],
    ['short-one', 'too_short'],
    ['x'.repeat(201), 'too_long'],
    ['Ada.Lovelace@Example.ca', 'same_as_email'],
    ['Password123', 'common'],
    ['1234567890', 'common'],
    ['motdepasse', 'common'],
    ['aaaaaaaaaaaa', 'common'],
  ])('%j: %s', (password, problem) => {
    expect(passwordProblem(password, 'ada.lovelace@example.ca')).toBe(problem);
  });
});

describe('a user name', () => {
  it.each([
    ['ada', null],
    ['a1', null],
    ['ada-lovelace-2', null],
    ['a'.repeat(39), null],
    ['a', 'length'],
    ['a'.repeat(40), 'length'],
    ['-ada', 'characters'],
    ['ada-', 'characters'],
    ['Ada', 'characters'],
    ['ada lovelace', 'characters'],
    ['ada_l', 'characters'],
    ['éa', 'characters'],
  ])('%j: %s', (login, problem) => {
    expect(loginProblem(login)).toBe(problem);
  });

  it.each([
    ['ada.lovelace@example.ca', 'ada-lovelace'],
    ['Zoë+site@example.ca', 'zoe-site'],
    ['@example.ca', ''],
    ['.@example.ca', ''],
    [`${'a'.repeat(80)}@example.ca`, 'a'.repeat(39)],
  ])('suggested for %s is %j', (email, login) => {
    expect(suggestLogin(email)).toBe(login);
    if (login !== '') expect(loginProblem(login)).toBeNull();
  });
});
