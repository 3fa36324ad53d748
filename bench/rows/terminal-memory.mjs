export async function measureMemory() { return []; }
