import { describe, expect, it } from 'vitest';
import { isIssueAllowed } from './caa-rules.ts';

const OURS = ['ca.example', 'www.ca.example'];
const record = (tag: string, value: string, isCritical = false) => ({ tag, value, isCritical });
const isAllowed = (records: ReturnType<typeof record>[], isWildcard = false) =>
  isIssueAllowed(records, OURS, isWildcard);

describe('CAA allows us to issue', () => {
  it.each([
    ['no record', []],
    ['our name', [record('issue', 'ca.example')]],
    [
      'our other name among others, in capitals',
      [record('issue', 'x.example'), record('issue', ' WWW.CA.example ')],
    ],
    [
      'an account that only the authority can compare',
      [record('issue', 'ca.example; accounturi=https://x/1')],
    ],
    ['our way to prove', [record('issue', 'ca.example;validationmethods=http-01,DNS-01')]],
    ['nothing about issuing', [record('iodef', 'mailto:a@example.ca', true), record('issuemail', ';')]],
    ['an unknown tag that may be ignored', [record('future', 'x'), record('issue', 'ca.example')]],
    ['wildcards that are none of ours', [record('issuewild', ';')]],
  ])('with %s', (_, records) => {
    expect(isAllowed(records)).toBe(true);
  });

  it('for a wildcard by issuewild if present, otherwise by issue', () => {
    expect(isAllowed([record('issue', ';'), record('issuewild', 'ca.example')], true)).toBe(true);
    expect(isAllowed([record('issue', 'ca.example')], true)).toBe(true);
  });
});

describe('CAA forbids us to issue', () => {
  it.each([
    ['no authority may', [record('issue', ';')]],
    ['no authority may, with an empty value', [record('issue', '')]],
    ['others may', [record('issue', 'other.example'), record('issue', 'ca.example.net')]],
    ['something critical is not understood', [record('issue', 'ca.example'), record('future', 'x', true)]],
    ['another way to prove is demanded', [record('issue', 'ca.example; validationmethods=http-01')]],
    [
      'our name is part of something malformed',
      [record('issue', 'ca.example %'), record('issue', 'ca.example; x')],
    ],
  ])('when %s', (_, records) => {
    expect(isAllowed(records)).toBe(false);
  });

  it('for a wildcard when issuewild says so, whatever issue says', () => {
    expect(isAllowed([record('issue', 'ca.example'), record('issuewild', ';')], true)).toBe(false);
  });
});
