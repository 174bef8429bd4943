import type { Executor } from '#db/client.ts';
import { type HeaderRule, parseHeaders } from '#server/edge/rules/header-rules.ts';
import { parseRedirects, type RedirectRule } from '#server/edge/rules/redirect-rules.ts';
import { type RuleProblem as EdgeRuleProblem, RULE_FILE_BYTES_MAX } from '#server/edge/rules/rule-problem.ts';
import { AppError } from '#server/errors.ts';
import type { BlobStore } from '#server/store/blob-store.ts';
import type { RuleProblem } from '../schema.ts';

/** The rules of a version, plain data, with the lines that were left out. */
export interface VersionRules {
  redirects: RedirectRule[];
  headers: HeaderRule[];
  /** A limited number for each file (server/edge/rules/rule-problem.ts). */
  problems: RuleProblem[];
  problemCount: number;
}

const REDIRECTS_FILE = '_redirects';
const HEADERS_FILE = '_headers';

/** A little more than a file may contain, so that the parser sees that there is more. */
const READ_BYTES_MAX = RULE_FILE_BYTES_MAX + 16;

/** Returns the rules in `_redirects` and `_headers` at the root of a version. */
export async function readRuleFiles(
  executor: Executor,
  blobs: BlobStore,
  versionId: string,
): Promise<VersionRules> {
  const files = await executor
    .selectFrom('version_files')
    .select(['path', 'sha256'])
    .where('version_id', '=', versionId)
    .where('path', 'in', [REDIRECTS_FILE, HEADERS_FILE])
    .execute();
  const textOf = async (path: string): Promise<string> => {
    const file = files.find((row) => row.path === path);
    return file ? readText(blobs, file.sha256) : '';
  };
  const redirects = parseRedirects(await textOf(REDIRECTS_FILE));
  const headers = parseHeaders(await textOf(HEADERS_FILE));
  return {
    redirects: redirects.rules,
    headers: headers.rules,
    problems: [
      ...redirects.problems.map((problem) => toProblem(REDIRECTS_FILE, problem)),
      ...headers.problems.map((problem) => toProblem(HEADERS_FILE, problem)),
    ],
    problemCount: redirects.problemCount + headers.problemCount,
  };
}

async function readText(blobs: BlobStore, sha256: string): Promise<string> {
  const handle = await blobs.open(sha256, 'identity');
  if (!handle) throw new AppError('upload_interrupted');
  try {
    const target = new Uint8Array(Math.min(handle.size, READ_BYTES_MAX));
    let filled = 0;
    while (filled < target.byteLength) {
      const count = await handle.read(target, filled, target.byteLength - filled, filled);
      if (count === 0) break;
      filled += count;
    }
    return new TextDecoder().decode(target.subarray(0, filled));
  } finally {
    await handle.close();
  }
}

function toProblem(file: RuleProblem['file'], problem: EdgeRuleProblem): RuleProblem {
  return {
    file,
    line_number: problem.lineNumber,
    line: problem.line,
    code: problem.code,
    message: problem.message,
  };
}
