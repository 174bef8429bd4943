import { useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { askConfirmation } from '../../components/dialogs/confirm-host.tsx';
import { useLeaveWarning } from '../../components/dialogs/use-leave-warning.ts';

/**
 * Holds a new secret. It is stored nowhere else, so leaving before it has been copied asks for confirmation.
 */
export function useShownSecret() {
  const { t } = useLingui();
  const [secret, setSecret] = useState<string | null>(null);
  const [isCopied, setCopied] = useState(false);
  const isAtRisk = secret !== null && !isCopied;
  const title = t`The signing secret has not been copied`;
  const text = t`It is shown only here. Without it, events cannot be verified, and it must be replaced.`;
  useLeaveWarning({ isActive: isAtRisk, title, text, leave: t`Leave without it` });
  return {
    secret,
    show: (made: string) => {
      setSecret(made);
      setCopied(false);
    },
    markCopied: () => setCopied(true),
    dismiss: async () => {
      const isSure =
        !isAtRisk ||
        (await askConfirmation({ title, body: text, confirm: t`Continue without it`, isDestructive: true }));
      if (isSure) setSecret(null);
    },
  };
}
