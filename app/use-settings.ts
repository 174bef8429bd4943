import { useRouter } from '@tanstack/react-router';
import type { ConsoleSettings } from './request-context.ts';

/** Returns the settings of this installation that pages may read. */
export function useSettings(): ConsoleSettings {
  return useRouter().options.context.settings;
}
