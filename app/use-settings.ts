import { useRouter } from '@tanstack/react-router';
import type { ConsoleSettings } from './request-context.ts';

/** Returns what the console knows about this installation. */
export function useSettings(): ConsoleSettings {
  return useRouter().options.context.settings;
}
