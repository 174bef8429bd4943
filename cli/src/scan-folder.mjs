import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { CliError, EXIT } from './cli-error.mjs';
import { formatCount } from './format.mjs';
import { mapConcurrently } from './map-concurrently.mjs';
import { refuseUnreadable } from './unreadable.mjs';

/** Never part of a site, in any folder. */
const SKIPPED = new Set(['.git', 'node_modules', '.DS_Store']);

/** By links, from different places. Folders that link to each other can be entered by more ways than anyone waits for. */
const ENTERED_BY_LINKS_MAX = 1_000;

/** Of one folder: one after another they would take four times as long. */
const ENTRIES_AT_ONCE = 16;

/**
 * @typedef {object} LocalFile
 * @property {string} path as deployed: relative, with `/`, in NFC
 * @property {string} source where to read it
 * @property {number} size
 */

/** @typedef {{ path: string, reason: string }} Skipped something that is left out, and why in words */

/**
 * Returns the files below a folder by path, and what was skipped: links that lead outside it or nowhere, sockets and pipes.
 * @param {string} folder
 * @returns {Promise<{ files: LocalFile[], skipped: Skipped[] }>}
 * @throws {CliError} when the folder does not exist, is empty, or has something in it that cannot be read or named
 */
export async function scanFolder(folder) {
  const root = await realpath(folder).catch(() => null);
  if (root === null || !(await stat(root)).isDirectory()) {
    throw new CliError(EXIT.usage, `There is no folder ${folder}.`);
  }
  /** @type {LocalFile[]} */
  const files = [];
  /** @type {Skipped[]} */
  const skipped = [];
  /** @type {Map<string, number>} */
  const timesEntered = new Map();

  /**
   * @param {string} directory
   * @param {string} prefix
   * @param {readonly string[]} ancestors real paths, so that a link to a parent folder does not loop forever
   */
  const walk = async (directory, prefix, ancestors) => {
    const entries = await readdir(directory, { withFileTypes: true }).catch(
      refuseUnreadable(prefix || folder),
    );
    /** @type {{ path: string, source: string }[]} */
    const folders = [];
    await mapConcurrently(entries, ENTRIES_AT_ONCE, async (entry) => {
      if (SKIPPED.has(entry.name)) return;
      const path = prefix + entry.name;
      let source = join(directory, entry.name);
      if (entry.isSymbolicLink()) {
        const target = await realpath(source).catch((error) => {
          if (path.includes('\ufffd')) refuseUnreadable(path)(error);
          return null;
        });
        if (target === null) {
          skipped.push({ path, reason: 'it links to nothing that exists' });
          return;
        }
        if (!isInside(root, target) || hasSkippedPart(root, target)) {
          skipped.push({ path, reason: 'it links to a place outside the folder' });
          return;
        }
        source = target;
      }
      const found = await stat(source).catch(refuseUnreadable(path));
      if (found.isDirectory() && entry.isSymbolicLink()) countEntry(path, source, timesEntered);
      if (found.isDirectory()) folders.push({ path: `${path}/`, source });
      else if (found.isFile()) files.push({ path: path.normalize('NFC'), source, size: found.size });
      else skipped.push({ path, reason: 'it is neither a file nor a folder' });
    });
    for (const { path, source } of folders) {
      if (!ancestors.includes(source)) await walk(source, path, [...ancestors, source]);
    }
  };
  await walk(root, '', [root]);
  if (files.length === 0) throw new CliError(EXIT.usage, `The folder ${folder} contains no files.`);
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  requireOnePerPath(files);
  return { files, skipped: skipped.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

/**
 * Linux keeps two files whose names differ only in how accents are encoded; on the web they have one address.
 * @param {readonly LocalFile[]} files by path
 */
function requireOnePerPath(files) {
  const twice = files.find(({ path }, index) => path === files[index + 1]?.path);
  if (!twice) return;
  throw new CliError(
    EXIT.usage,
    `Two files are called ${twice.path}: their names differ only in how Unicode encodes them. Rename one of them.`,
  );
}

/**
 * @param {string} path
 * @param {string} target
 * @param {Map<string, number>} timesEntered by target
 */
function countEntry(path, target, timesEntered) {
  const times = (timesEntered.get(target) ?? 0) + 1;
  timesEntered.set(target, times);
  if (times <= ENTERED_BY_LINKS_MAX) return;
  throw new CliError(
    EXIT.usage,
    `Links lead to the same folder more than ${formatCount(times - 1, 'time')}, such as ${path}: do folders link to each other?`,
  );
}

/**
 * @param {string} root
 * @param {string} target
 */
function isInside(root, target) {
  return target === root || target.startsWith(root.endsWith(sep) ? root : root + sep);
}

/**
 * @param {string} root
 * @param {string} target
 */
function hasSkippedPart(root, target) {
  return relative(root, target)
    .split(sep)
    .some((part) => SKIPPED.has(part));
}
