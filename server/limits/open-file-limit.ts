import { readFileSync } from 'node:fs';

/**
 * Returns how many files, including connections, this process may have open: its soft limit, which Node
 * raises to the hard one at start.
 */
export function readOpenFileLimit(): number {
  return readFromProc() ?? readFromReport();
}

function readFromProc(): number | null {
  let limits: string;
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    // Only Linux provides it.
    return null;
  }
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  if (soft === undefined) return null;
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}

/** The part of Node's diagnostic report that we read (https://nodejs.org/api/report.html). */
interface ReportedLimits {
  userLimits?: { open_files?: { soft?: number | 'unlimited' } };
}

function readFromReport(): number {
  const { userLimits } = process.report.getReport() as ReportedLimits;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}
