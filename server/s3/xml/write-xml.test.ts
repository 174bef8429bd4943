import { expect, it } from 'vitest';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { readXml } from './read-xml.ts';
import { escapeText, WrittenElements, writeInTurns, writeXml, xmlTime } from './write-xml.ts';

const random = seededRandom(20);
/** What is special somewhere: markup, control characters, halves of surrogate pairs, what is no character. */
const PIECES = [
  'a',
  'é',
  '😀',
  ' ',
  ...'&<>"\'\t\n\r\0\x01\x1f\x7f\x85\u2028\ufffd\ufffe\uffff',
  ']]>',
  '\ud83d',
  '\ude00',
];

const randomText = (): string =>
  Array.from({ length: random.below(12) }, () => PIECES[random.below(PIECES.length)] ?? '').join('');

it('a text is read as it was written, but for what XML has no way to write', () => {
  for (let round = 0; round < 2_000; round += 1) {
    const text = randomText();
    const sent = Buffer.from(writeXml('Text', text)).toString();
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML 1.0 cannot express.
    const readable = text.toWellFormed().replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd');
    expect(readXml(sent, 'Text').text, JSON.stringify(text)).toBe(readable);
  }
});

it('no text has markup of its own', () => {
  for (let round = 0; round < 2_000; round += 1) {
    const text = escapeText(randomText());
    expect(text.replace(/&(amp|lt|gt|quot|#13);/g, '')).not.toMatch(/[&<>"\r]/);
  }
});

it('times are those of ISO 8601, in whole seconds, in any order', () => {
  const ends = [0, 999, 86_399_999, 86_400_000, 951_782_400_000, 951_868_799_999, 4_102_444_800_000];
  const others = Array.from({ length: 2_000 }, () => random.below(2 ** 31) * 1_000 + random.below(1_000));
  for (const at of [...ends, ...others]) {
    expect(xmlTime(at)).toBe(new Date(Math.floor(at / 1_000) * 1_000).toISOString());
  }
});

it('elements are written by name, in order, with their attributes; nothing is left out but what is null', () => {
  const fields = {
    A: 1,
    B: null,
    'C xsi:type="Group"': { D: true, E: undefined },
    F: ['<', 0],
    G: new WrittenElements('<G/>'),
  };
  expect(writeXml('R', fields, null)).toBe(
    '<?xml version="1.0" encoding="UTF-8"?>\n<R><A>1</A><C xsi:type="Group"><D>true</D></C><F>&lt;</F><F>0</F><G/></R>',
  );
});

it('megabytes of elements are written in several turns, and as in one', async () => {
  const contents = Array.from({ length: 1_000 }, (_, at) => ({ Key: `${at}${'&'.repeat(1_000)}` }));
  let turns = 0;
  const written = await writeInTurns('Contents', contents, async () => {
    turns += 1;
  });
  expect(turns).toBeGreaterThan(10);
  expect(writeXml('R', { Contents: written })).toBe(writeXml('R', { Contents: contents }));
});
