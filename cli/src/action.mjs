import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { EXIT } from './cli-error.mjs';
import { hasIdentity } from './exchange-token.mjs';

/**
 * The script behind `action.yml` on GitHub, Forgejo and Gitea: the deploy command, with its settings from the
 * environment and its result as outputs, annotations and a job summary.
 */

const PORTAGE = fileURLToPath(new URL('../portage.mjs', import.meta.url));
const MESSAGE_LENGTH_MAX = 500;
const ANSWER_BYTES_MAX = 64 * 1024 ** 2;

/**
 * @typedef {{ version: { number: number }, site: { name: string }, report:
 * import('./commands/deploy.mjs').DeployReport }} Deployed
 */

process.exitCode = run(process.env);

/**
 * Deploys and returns the exit code of the step.
 * @param {NodeJS.ProcessEnv} environment
 */
function run(environment) {
  const secret = environment.PORTAGE_SECRET_KEY ?? '';
  if (secret !== '') print(`::add-mask::${escapeData(secret)}`);
  const keys = hasIdentity(environment) ? [] : ['PORTAGE_PUBLIC_KEY', 'PORTAGE_SECRET_KEY'];
  const missing = ['PORTAGE_URL', ...keys, 'DEPLOY_SITE'].filter((name) => !environment[name]);
  if (missing.length > 0) {
    const inputs = missing.map((name) =>
      name
        .replace(/^[A-Z]+_/, '')
        .toLowerCase()
        .replace('_', '-'),
    );
    const hint =
      ' Secrets are not there for pull requests from forks. Without a secret, give the job the permission id-token: write.';
    return fail(environment, EXIT.usage, `Set the inputs: ${inputs.join(', ')}.${secret === '' ? hint : ''}`);
  }
  const publish = environment.DEPLOY_PUBLISH ?? '';
  if (!['', 'true', 'false'].includes(publish)) {
    const words = `The input publish must be true or false; it was ${JSON.stringify(publish.slice(0, 40))}.`;
    return fail(environment, EXIT.usage, words);
  }
  const result = spawnSync(process.execPath, [PORTAGE, ...toArguments(environment)], {
    encoding: 'utf8',
    maxBuffer: ANSWER_BYTES_MAX,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const answer = parse(result.stdout);
  if (result.status !== EXIT.ok || answer === null || 'error' in answer) {
    const reason = answer && 'error' in answer ? answer.error.message : 'The deploy ended without an answer.';
    return fail(environment, result.status || EXIT.failure, reason);
  }
  succeed(environment, answer);
  return EXIT.ok;
}

/** @param {NodeJS.ProcessEnv} environment */
function toArguments(environment) {
  const folder = environment.DEPLOY_FOLDER || 'dist';
  const message = (environment.DEPLOY_MESSAGE || lastSubject()).slice(0, MESSAGE_LENGTH_MAX);
  return [
    'deploy',
    // A folder is never mistaken for an option, whatever its name.
    folder.startsWith('-') ? `./${folder}` : folder,
    `--site=${environment.DEPLOY_SITE}`,
    ...(message === '' ? [] : [`--message=${message}`]),
    ...(environment.DEPLOY_PUBLISH === 'false' ? ['--no-publish'] : []),
    '--json',
  ];
}

/** Returns the subject of the current commit, or an empty text outside a repository. */
function lastSubject() {
  try {
    return execFileSync('git', ['log', '-1', '--format=%s'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}

/**
 * @param {string | null} text
 * @returns {Deployed | { error: { message: string } } | null}
 */
function parse(text) {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return null;
  }
}

/**
 * @param {NodeJS.ProcessEnv} environment
 * @param {Deployed} deployed
 */
function succeed(environment, { site, version, report }) {
  setOutput(environment, 'url', report.live_url);
  setOutput(environment, 'preview', report.preview_url);
  setOutput(environment, 'version', String(version.number));
  const did = report.is_published ? 'Deployed' : 'Sealed';
  const changes = `${report.added} added, ${report.changed} changed, ${report.removed} removed`;
  print(`${did} version ${version.number}: ${changes}`);
  const superseded =
    report.superseded_by === null
      ? []
      : [`Version ${report.superseded_by} is newer and stays live; this one is only a preview.`];
  for (const words of superseded) print(`::warning::${words}`);
  if (report.is_published) print(`Live     ${report.live_url}`);
  print(`Preview  ${report.preview_url}`);
  for (const { file, line_number, message } of report.problems) {
    print(`::warning::${escapeData(`${file}:${line_number} ${message}`)}`);
  }
  const more = (report.problem_count ?? report.problems.length) - report.problems.length;
  if (more > 0) print(`::warning::and ${more} more rules were not understood`);
  summarize(environment, [
    `### ${did} version ${version.number} of ${escapeMarkdown(site.name)}`,
    ...(report.is_published ? [`- Live: ${report.live_url}`] : []),
    `- Preview: ${report.preview_url}`,
    `- Changes: ${changes}`,
    ...superseded.map((words) => `- ${words}`),
    ...report.problems.map(({ file, line_number, message }) =>
      escapeMarkdown(`- ${file}:${line_number} ${message}`),
    ),
    ...(more > 0 ? [`- and ${more} more rules were not understood`] : []),
  ]);
}

/**
 * @param {NodeJS.ProcessEnv} environment
 * @param {number} exitCode
 * @param {string} reason
 */
function fail(environment, exitCode, reason) {
  print(`::error::${escapeData(reason)}`);
  summarize(environment, ['### The deploy failed', escapeMarkdown(reason)]);
  return exitCode;
}

/**
 * Sets an output in the syntax in which no value can set another output.
 * @param {NodeJS.ProcessEnv} environment
 * @param {string} name
 * @param {string} value
 */
function setOutput(environment, name, value) {
  const end = `end-${randomUUID()}`;
  if (environment.GITHUB_OUTPUT)
    appendFileSync(environment.GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}\n`);
}

/**
 * Writes the job's summary if the host supports one.
 * @param {NodeJS.ProcessEnv} environment
 * @param {string[]} lines
 */
function summarize(environment, lines) {
  if (!environment.GITHUB_STEP_SUMMARY) return;
  try {
    appendFileSync(environment.GITHUB_STEP_SUMMARY, `${lines.join('\n')}\n`);
  } catch {
    // A host without summaries must not fail the deploy.
  }
}

/** @param {string} line */
function print(line) {
  process.stdout.write(`${line}\n`);
}

/**
 * Escapes the data of a workflow command to one line, so that nothing in it is parsed as another command.
 * @param {string} text
 */
function escapeData(text) {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/**
 * Escapes untrusted text to one line, without HTML or links.
 * @param {string} text
 */
function escapeMarkdown(text) {
  return text.replace(/\s+/g, ' ').replace(/[<>[\]`*_|\\]/g, (character) => `\\${character}`);
}
