// What jsdom lacks and pages need; and the attribute by which tests find elements.
import { configure } from '@testing-library/react';

configure({ testIdAttribute: 'data-test', asyncUtilTimeout: 60_000 });

class Observer {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
globalThis.ResizeObserver ??= Observer as unknown as typeof ResizeObserver;
globalThis.URL.createObjectURL ??= () => 'blob:icon';
