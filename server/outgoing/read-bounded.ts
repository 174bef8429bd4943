/** Returns the body of an external response. @throws when it is longer than allowed */
export async function readBounded(response: Response, bytesMax: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > bytesMax) throw new Error('the response is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
