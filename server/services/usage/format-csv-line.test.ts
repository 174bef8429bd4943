import { expect, it } from 'vitest';
import { formatCsvLine } from './format-csv-line.ts';

it('a line ends with CR and LF, and fields with separators are quoted', () => {
  expect(formatCsvLine(['a', 1, '', 'b,c', 'say "yes"', 'two\nlines'])).toBe(
    'a,1,,"b,c","say ""yes""","two\nlines"\r\n',
  );
});

it('a name that a spreadsheet would calculate becomes a text', () => {
  const names = ['=1+1', '+1', '-1', '@sum', '\tx', '=HYPERLINK("https://example.ca","a")'];
  expect(names.map((name) => formatCsvLine([name]))).toEqual([
    "'=1+1\r\n",
    "'+1\r\n",
    "'-1\r\n",
    "'@sum\r\n",
    "'\tx\r\n",
    '"\'=HYPERLINK(""https://example.ca"",""a"")"\r\n',
  ]);
  for (const name of ['\uff1d1+1', '\uff0b1', '\uff0d1', '\uff20sum', '\n=1+1']) {
    expect(formatCsvLine([name]).replace(/^"/, '')).toMatch(/^'/);
  }
  expect(formatCsvLine([-1, { digits: '-0.50' }])).toBe('-1,-0.50\r\n');
});
