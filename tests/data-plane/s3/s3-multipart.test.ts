import { randomBytes } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectAttributesCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '#server/durations.ts';
import { ageUploads } from '#tests/support/server/server-database.ts';
import { startBucketSuite } from '#tests/support/storage/bucket-suite.ts';

const MIB = 1024 ** 2;
const Bucket = 'multipart-bucket';
const s3 = startBucketSuite(Bucket);
const { put, get, bytesOf } = s3;

describe('a multipart upload', () => {
  const begin = (Key: string, more: object = {}) =>
    s3.client.send(new CreateMultipartUploadCommand({ Bucket, Key, ...more }));
  const complete = (Key: string, UploadId: string | undefined, Parts: object[], more: object = {}) =>
    s3.client.send(
      new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts }, ...more }),
    );

  it.each([
    ['CRC32', 'COMPOSITE'],
    ['CRC32', 'FULL_OBJECT'],
    ['CRC64NVME', 'FULL_OBJECT'],
    ['SHA256', 'COMPOSITE'],
  ] as const)('becomes one object with its %s (%s)', async (algorithm, type) => {
    const Key = `parts ${algorithm} ${type}`;
    const content = [randomBytes(5 * MIB), randomBytes(5 * MIB + 1), randomBytes(7)];
    const { UploadId } = await begin(Key, { ChecksumAlgorithm: algorithm, ChecksumType: type });
    const parts: object[] = [];
    for (const [index, Body] of content.entries()) {
      const PartNumber = index + 1;
      const part = { Bucket, Key, UploadId, PartNumber, Body, ChecksumAlgorithm: algorithm };
      const { ETag, ...rest } = await s3.client.send(new UploadPartCommand(part));
      parts.push({ PartNumber, ETag, [`Checksum${algorithm}`]: rest[`Checksum${algorithm}`] });
    }
    const listed = await s3.client.send(new ListPartsCommand({ Bucket, Key, UploadId }));
    expect(listed.Parts?.map(({ Size }) => Size)).toEqual(content.map(({ byteLength }) => byteLength));
    const other = type === 'COMPOSITE' ? 'FULL_OBJECT' : 'COMPOSITE';
    await expect(complete(Key, UploadId, parts, { ChecksumType: other })).rejects.toMatchObject({
      name: 'InvalidRequest',
    });
    const done = await complete(Key, UploadId, parts, { ChecksumType: type });
    expect(done.ETag).toMatch(/^"[0-9a-f]{32}-3"$/);
    // A client that lost the response retries.
    expect((await complete(Key, UploadId, parts)).ETag).toBe(done.ETag);

    const read = await get(Key, { ChecksumMode: 'ENABLED' });
    expect(read[`Checksum${algorithm}`]).toBe(done[`Checksum${algorithm}`]);
    expect((await bytesOf(read)).equals(Buffer.concat(content))).toBe(true);
    const across = await get(Key, { Range: `bytes=${5 * MIB - 2}-${5 * MIB + 1}` });
    expect(await bytesOf(across)).toEqual(Buffer.concat(content).subarray(5 * MIB - 2, 5 * MIB + 2));
    const second = await get(Key, { PartNumber: 2, ChecksumMode: 'ENABLED' });
    expect([second.ChecksumType, second[`Checksum${algorithm}`]]).toEqual([
      type,
      listed.Parts?.[1]?.[`Checksum${algorithm}`],
    ]);
    await expect(get(Key, { PartNumber: 9 })).rejects.toMatchObject({ name: 'InvalidPartNumber' });
    expect([second.PartsCount, second.ContentLength]).toEqual([3, 5 * MIB + 1]);
    const attributes = await s3.client.send(
      new GetObjectAttributesCommand({ Bucket, Key, ObjectAttributes: ['ObjectParts', 'ObjectSize'] }),
    );
    expect(attributes.ObjectParts).toMatchObject({ TotalPartsCount: 3 });
    const between = await s3.client.send(
      new GetObjectAttributesCommand({
        ...{ Bucket, Key, MaxParts: 1, PartNumberMarker: '1' },
        ObjectAttributes: ['ObjectParts'],
      }),
    );
    expect(between.ObjectParts).toMatchObject({
      ...{ TotalPartsCount: 3, IsTruncated: true, NextPartNumberMarker: '2' },
      Parts: [{ PartNumber: 2, Size: 5 * MIB + 1 }],
    });
  });

  it('is made of parts with the checksum that was agreed, and of no others', async () => {
    const Key = 'checked';
    const { UploadId } = await begin(Key, { ChecksumAlgorithm: 'SHA256' });
    const part = { Bucket, Key, UploadId, PartNumber: 1, Body: 'part' };
    const upload = (ChecksumAlgorithm: 'SHA256' | 'SHA1') =>
      s3.client.send(new UploadPartCommand({ ...part, ChecksumAlgorithm }));
    await expect(upload('SHA1')).rejects.toMatchObject({ name: 'InvalidRequest' });
    const plain = s3.clientWith({
      requestChecksumCalculation: 'WHEN_REQUIRED',
    });
    await expect(plain.send(new UploadPartCommand(part))).rejects.toMatchObject({ name: 'InvalidRequest' });
    const { ETag, ChecksumSHA256 = '' } = await upload('SHA256');
    const refusal = (checksums: object, more: object = {}) =>
      complete(Key, UploadId, [{ PartNumber: 1, ETag, ...checksums }], more).then(
        () => 'nothing',
        ({ name }) => name,
      );
    expect(await refusal({ ChecksumSHA256: 'x' })).toBe('InvalidArgument');
    expect(await refusal({ ChecksumSHA256, ChecksumCRC32: 'AAAAAA==' })).toBe('InvalidArgument');
    expect(await refusal({ ChecksumCRC32: 'AAAAAA==' })).toBe('BadDigest');
    expect(await refusal({ ChecksumSHA256: Buffer.alloc(32).toString('base64') })).toBe('InvalidPart');
    expect(await refusal({ ChecksumSHA256 }, { ChecksumSHA256: 'x' })).toBe('BadDigest');
    expect(await refusal({ ChecksumSHA256 }, { ChecksumSHA256: `${ChecksumSHA256}-9` })).toBe('BadDigest');
    expect(await refusal({ ChecksumSHA256 }, { ChecksumCRC32: 'AAAAAA==' })).toBe('BadDigest');
    expect(await refusal({ ChecksumSHA256 }, { ChecksumType: 'OTHER' })).toBe('InvalidRequest');
    // What is wrong with the request itself is said before what is wrong with its parts.
    expect(await refusal({ ETag: 'another' }, { ChecksumSHA256: 'x' })).toBe('BadDigest');
    expect(await refusal({ ETag: 'another' }, { ChecksumType: 'FULL_OBJECT' })).toBe('InvalidRequest');
    expect(await refusal({ ETag: 'another' })).toBe('InvalidPart');
    const second = await s3.client.send(
      new UploadPartCommand({ ...part, PartNumber: 2, ChecksumAlgorithm: 'SHA256' }),
    );
    const parts = [
      { PartNumber: 1, ETag },
      { PartNumber: 2, ETag: second.ETag, ChecksumSHA256: second.ChecksumSHA256 },
    ];
    await expect(complete(Key, UploadId, parts)).rejects.toMatchObject({
      name: 'InvalidRequest',
      message: expect.stringContaining('It was missing for part 1 in the request.'),
    });
    expect(await refusal({})).toBe('nothing');
  });

  it('that agreed on no checksum is not completed with those of its parts', async () => {
    const Key = 'unchecked';
    const { UploadId } = await begin(Key);
    const part = { Bucket, Key, UploadId, PartNumber: 1, Body: 'part' };
    const { ETag, ChecksumCRC32 } = await s3.client.send(new UploadPartCommand(part));
    expect(ChecksumCRC32).toBeDefined();
    await expect(complete(Key, UploadId, [{ PartNumber: 1, ETag, ChecksumCRC32 }])).rejects.toMatchObject({
      name: 'InvalidPart',
    });
    const parts = [{ PartNumber: 1, ETag }];
    await expect(complete(Key, UploadId, parts, { ChecksumCRC64NVME: 'AAAAAAAAAAA=' })).rejects.toMatchObject(
      {
        name: 'BadDigest',
      },
    );
    await complete(Key, UploadId, parts, { ChecksumCRC32 });
  });

  it('that agreed on no checksum is given AWS’s default one, which only the whole shows', async () => {
    const [Key, Body] = ['defaulted', randomBytes(5 * MIB)];
    const plain = s3.clientWith({ requestChecksumCalculation: 'WHEN_REQUIRED' });
    const { UploadId } = await begin(Key);
    const part = { Bucket, Key, UploadId };
    // One with a checksum of its own, one without.
    const first = await s3.client.send(new UploadPartCommand({ ...part, PartNumber: 1, Body }));
    const second = await plain.send(new UploadPartCommand({ ...part, PartNumber: 2, Body: 'end' }));
    expect([first.ChecksumCRC64NVME, second.ChecksumCRC64NVME]).toEqual([undefined, undefined]);
    const listed = await s3.client.send(new ListPartsCommand(part));
    expect(listed.Parts?.map(({ ChecksumCRC64NVME }) => ChecksumCRC64NVME)).toEqual([undefined, undefined]);
    const parts = [first, second].map(({ ETag }, index) => ({ PartNumber: index + 1, ETag }));
    const done = await complete(Key, UploadId, parts);
    expect(done.ChecksumType).toBe('FULL_OBJECT');
    const whole = Buffer.concat([Body, Buffer.from('end')]);
    const told = await put('defaulted at once', whole, { ChecksumAlgorithm: 'CRC64NVME' });
    expect(done.ChecksumCRC64NVME).toBe(told.ChecksumCRC64NVME);
  });

  it('accepts parts of other objects', async () => {
    await put('source', randomBytes(5 * MIB + 10));
    const { UploadId } = await begin('assembled');
    const copy = (PartNumber: number, CopySourceRange: string) =>
      s3.client.send(
        new UploadPartCopyCommand({
          ...{ Bucket, Key: 'assembled', UploadId, PartNumber, CopySourceRange },
          CopySource: `${Bucket}/source`,
        }),
      );
    const first = await copy(1, `bytes=10-${5 * MIB + 9}`);
    const last = await copy(2, 'bytes=0-9');
    await expect(copy(3, `bytes=0-${6 * MIB}`)).rejects.toMatchObject({ name: 'InvalidRange' });
    await complete('assembled', UploadId, [
      { PartNumber: 1, ETag: first.CopyPartResult?.ETag },
      { PartNumber: 2, ETag: last.CopyPartResult?.ETag },
    ]);
    const source = await bytesOf(await get('source'));
    const assembled = await bytesOf(await get('assembled'));
    expect(assembled.equals(Buffer.concat([source.subarray(10), source.subarray(0, 10)]))).toBe(true);
  });

  it('is rejected with parts that are small, missing or out of order, and can be aborted', async () => {
    const Key = 'refused';
    const { UploadId } = await begin(Key);
    const upload = async (PartNumber: number) =>
      (await s3.client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body: 'x' }))).ETag;
    const [one, two] = [await upload(1), await upload(2)];
    const refusal = (parts: object[]) =>
      complete(Key, UploadId, parts).then(
        () => 'nothing',
        ({ name }) => name,
      );
    expect(
      await refusal([
        { PartNumber: 1, ETag: one },
        { PartNumber: 2, ETag: two },
      ]),
    ).toBe('EntityTooSmall');
    expect(
      await refusal([
        { PartNumber: 2, ETag: two },
        { PartNumber: 1, ETag: one },
      ]),
    ).toBe('InvalidPartOrder');
    expect(await refusal([{ PartNumber: 3, ETag: one }])).toBe('InvalidPart');
    expect(await refusal([])).toBe('MalformedXML');
    const withoutBody = new CompleteMultipartUploadCommand({ Bucket, Key, UploadId });
    await expect(s3.client.send(withoutBody)).rejects.toMatchObject({
      name: 'InvalidRequest',
      message: 'You must specify at least one part',
    });
    expect(await refusal([{ PartNumber: 0, ETag: one }])).toBe('InvalidArgument');
    const sized = (MpuObjectSize: number) =>
      complete(Key, UploadId, [{ PartNumber: 1, ETag: one }], { MpuObjectSize });
    await expect(sized(-1)).rejects.toMatchObject({ name: 'InvalidRequest' });
    await expect(sized(5)).rejects.toMatchObject({ name: 'InvalidRequest' });
    const open = await s3.client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key }));
    expect(open.Uploads?.map((each) => each.UploadId)).toEqual([UploadId]);
    expect(open).toMatchObject({ IsTruncated: false, NextKeyMarker: Key, NextUploadIdMarker: UploadId });
    const none = await s3.client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: 'none' }));
    expect([none.NextKeyMarker, none.NextUploadIdMarker]).toEqual(['', '']);
    const marked = (UploadIdMarker: string) =>
      s3.client.send(new ListMultipartUploadsCommand({ Bucket, KeyMarker: 'refuse', UploadIdMarker }));
    await expect(marked('nonsense')).rejects.toMatchObject({ name: 'InvalidArgument' });
    expect((await marked(UploadId ?? '')).Uploads?.[0]?.UploadId).toBe(UploadId);
    const abort = (IfMatchInitiatedTime?: Date) =>
      s3.client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId, IfMatchInitiatedTime }));
    await expect(abort(new Date(0))).rejects.toMatchObject({ name: 'PreconditionFailed' });
    await abort(open.Uploads?.[0]?.Initiated);
    await expect(upload(1)).rejects.toMatchObject({ name: 'NoSuchUpload' });
    expect(await refusal([{ PartNumber: 1, ETag: one }])).toBe('NoSuchUpload');
  });

  it('replaces what is expected there only if that was there when the upload began', async () => {
    const Key = 'expected';
    await put(Key, 'before');
    const { UploadId } = await begin(Key);
    const { ETag } = await s3.client.send(
      new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'part' }),
    );
    const during = await put(Key, 'during');
    const parts = [{ PartNumber: 1, ETag }];
    await expect(complete(Key, UploadId, parts, { IfMatch: during.ETag })).rejects.toMatchObject({
      name: 'ConditionalRequestConflict',
      Key,
      $metadata: { httpStatusCode: 409 },
    });
    expect(String(await bytesOf(await get(Key)))).toBe('during');
    const again = await begin(Key);
    const part = { Bucket, Key, UploadId: again.UploadId, PartNumber: 1, Body: 'part' };
    await s3.client.send(new UploadPartCommand(part));
    await complete(Key, again.UploadId, parts, { IfMatch: during.ETag });
    expect(String(await bytesOf(await get(Key)))).toBe('part');
  });

  it('that is not completed is seen and ended by others, once', async () => {
    const Key = 'unfinished/one';
    const { UploadId = '' } = await begin(Key);
    const part = { Bucket, Key, UploadId, PartNumber: 1, Body: randomBytes(MIB) };
    const { ETag } = await s3.client.send(new UploadPartCommand(part));
    const listed = JSON.parse((await s3.ask('GET', '/uploads')).text);
    expect(listed).toContainEqual(
      expect.objectContaining({
        id: UploadId,
        key: Key,
        part_count: 1,
        stored_bytes: MIB,
        started_by: { kind: 'credential', id: expect.any(String), name: 's3' },
      }),
    );
    const [abandoned, completed] = await Promise.all([
      s3.ask('DELETE', `/uploads/${UploadId}`),
      complete(Key, UploadId, [{ PartNumber: 1, ETag }]).then(
        () => true,
        ({ name }) => name,
      ),
    ]);
    const isThere = await get(Key).then(
      () => true,
      () => false,
    );
    // Either its client or the other was first.
    expect([abandoned.status, completed, isThere]).toEqual(
      isThere ? [404, true, true] : [204, 'NoSuchUpload', false],
    );
    await expect(s3.client.send(new UploadPartCommand(part))).rejects.toMatchObject({ name: 'NoSuchUpload' });

    await begin('unfinished/old a');
    await begin('unfinished/old b');
    await ageUploads(s3.server, 'unfinished/old', 25 * HOUR_MS);
    await begin('unfinished/young');
    const asked = JSON.parse((await s3.ask('POST', '/abandon-uploads')).text);
    expect(asked.abandoning).toMatchObject({ upload_total: 2 });
    const namesNow = async () =>
      (await s3.client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: 'unfinished/' }))).Uploads?.map(
        (upload) => upload.Key,
      );
    await expect.poll(namesNow).toEqual(['unfinished/young']);
    const totals = async () => JSON.parse((await s3.ask('GET', '/upload-totals')).text).abandoning;
    await expect.poll(totals).toBeNull();
  });
});
