import { authorOf } from '../author.ts';
import type { Implementation } from '../call.ts';
import { given } from '../given.ts';
import type { Kit } from '../kit.ts';

export function getSettings({ settings }: Pick<Kit, 'settings'>): Implementation<'settings.get'> {
  return () => settings.current();
}

export function updateSettings({
  storage,
  settings,
}: Pick<Kit, 'storage' | 'settings'>): Implementation<'settings.update'> {
  return async (fields, call) => {
    const changes = given(fields);
    await storage.write(authorOf(call), async (tx) => {
      for (const [key, value] of Object.entries(changes)) await tx.settings.set(key, value as string | number);
      await tx.record({ type: 'settings.updated', subject: { kind: 'settings', id: 'settings' }, data: changes });
    });
    return settings.current();
  };
}
