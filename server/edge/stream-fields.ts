const fieldNames = new Map<string, string>();

/** Status and headers as HTTP/2 writes them; node adds the date. */
export function streamFields(status: number, headers: readonly string[]): string[] {
  const fields = [':status', String(status)];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    let written = fieldNames.get(name);
    if (written === undefined) {
      written = name.toLowerCase();
      if (fieldNames.size < 1_000) fieldNames.set(name, written);
    }
    fields.push(written, headers[index + 1] ?? '');
  }
  return fields;
}
