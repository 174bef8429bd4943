/** They tell the supervisor to replace its processes, and mean nothing to those. */
export const RELOAD_SIGNALS = ['SIGHUP', 'SIGUSR2'] as const;

/**
 * Whether a process was ended by a signal that was sent to the whole group, as by `kill -HUP -- -GROUP`, before it could ignore it. It is
 * then started again: the start would fail otherwise.
 */
export function wasReloadedEarly(reason: string | number | null): boolean {
  return RELOAD_SIGNALS.some((signal) => signal === reason);
}
