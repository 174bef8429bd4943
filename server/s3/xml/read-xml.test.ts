import { expect, it } from 'vitest';
import { childrenOf, readLongXml, readXml, textOf } from './read-xml.ts';

const long = `<Delete>${'<Object><Key>é🐟&amp;</Key></Object>'.repeat(4_000)}</Delete>`;

it('a long document is read in many turns, and as the same', async () => {
  for (const shift of ['', ' ']) {
    const text = shift + long;
    let turns = 0;
    const root = await readLongXml(text, 'Delete', async () => {
      turns += 1;
    });
    expect(turns).toBeGreaterThan(5);
    expect(root).toEqual(readXml(text, 'Delete'));
    expect(new Set(childrenOf(root, 'Object').map((each) => textOf(each, 'Key')))).toEqual(new Set(['é🐟&']));
  }
});

it('what is wrong with a long document is found wherever it is', async () => {
  const broken = { cut: long.slice(0, -1), unbalanced: long.replace('</Key>', ''), otherwise: `${long}<a/>` };
  for (const [what, text] of Object.entries(broken)) {
    const reading = readLongXml(text, 'Delete', async () => undefined);
    await expect(reading, what).rejects.toMatchObject({ code: 'MalformedXML' });
  }
  await expect(readLongXml(long, 'Tagging', async () => undefined)).rejects.toMatchObject({
    code: 'MalformedXML',
  });
});
