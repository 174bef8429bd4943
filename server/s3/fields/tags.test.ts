import { expect, it } from 'vitest';
import { S3_LIMITS } from '../s3-limits.ts';
import { readTagging, readTagHeader } from './tags.ts';

const refusal = (read: () => unknown) => {
  try {
    read();
    return 'none';
  } catch (error) {
    const { code, details } = error as { code: string; details: object };
    return { code, ...details };
  }
};

it.each([
  [null, []],
  ['&&&', []],
  ['key', [['key', '']]],
  ['key=&', [['key', '']]],
  [
    'a=1&b&c=2%2B',
    [
      ['a', '1'],
      ['b', ''],
      ['c', '2+'],
    ],
  ],
  ['with+blank=%20%C3%A9', [['with blank', ' é']]],
])('the header %j holds the tags %j', (text, tags) => {
  expect(readTagHeader(text)).toEqual(tags);
});

it.each(['=', '=value', 'key%', 'key=%ff', 'key=1&key=1', 'key=1,other=2'])(
  'the header %j is no argument',
  (text) => {
    expect(refusal(() => readTagHeader(text))).toEqual({
      code: 'InvalidArgument',
      ArgumentName: 'x-amz-tagging',
      ArgumentValue: text,
    });
  },
);

it('more tags than an object or a bucket may have are counted', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, n) => `<Tag><Key>${n}</Key><Value/></Tag>`).join('');
  const tagging = (count: number) => `<Tagging><TagSet>${many(count)}</TagSet></Tagging>`;
  expect(() => readTagging(tagging(11))).toThrow('Object tags cannot be greater than 10');
  expect(() => readTagging(tagging(51), S3_LIMITS.bucketTagsMax)).toThrow(
    'Bucket tag count cannot be greater than 50',
  );
});

it('a tag in the name of the system is refused, in the words for objects and for buckets', () => {
  const tagging = '<Tagging><TagSet><Tag><Key>aws:a</Key><Value/></Tag></TagSet></Tagging>';
  expect(() => readTagging(tagging)).toThrow('Your TagKey cannot be prefixed with aws:');
  expect(() => readTagging(tagging, S3_LIMITS.bucketTagsMax)).toThrow(
    'System tags cannot be added/updated by requester',
  );
});

it('a tag that cannot be is named', () => {
  const tags = (...pairs: [string, string][]) => {
    const all = pairs.map(([key, value]) => `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`);
    return refusal(() => readTagging(`<Tagging><TagSet>${all.join('')}</TagSet></Tagging>`));
  };
  expect(tags(['a', '1'], ['b!', '2'])).toEqual({ code: 'InvalidTag', TagKey: 'b!' });
  expect(tags(['a', '1'], ['b', '2?'])).toEqual({ code: 'InvalidTag', TagKey: 'b', TagValue: '2?' });
  expect(tags(['a', '1'], ['a', '2'])).toEqual({ code: 'InvalidTag', TagKey: 'a' });
  expect(tags(['AWS:a', '1'])).toEqual({ code: 'InvalidTag', TagKey: 'AWS:a' });
  expect(tags(['k'.repeat(129), '1'])).toMatchObject({ code: 'InvalidTag' });
  expect(tags(['k', 'v'.repeat(257)])).toMatchObject({ code: 'InvalidTag', TagKey: 'k' });
});
