import { RadioGroup } from '../../ui/Field.tsx';
import { chooseTheme, useTheme } from '../../ui/theme.ts';

const OPTIONS = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

export function Appearance() {
  const { theme, isDark } = useTheme();
  return (
    <section aria-label="Theme" className="flex flex-col gap-2 border-t border-line pt-4">
      <h2 className="font-semibold">Theme</h2>
      <RadioGroup label="Theme" onChange={chooseTheme} options={OPTIONS} value={theme} />
      <p className="text-quiet">
        {theme === 'system' ? `Follows the system, which is ${isDark ? 'dark' : 'light'} now.` : `Always ${theme}.`}{' '}
        Terminals and code use the same theme.
      </p>
    </section>
  );
}
