// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.slots;

import dev.coxswain.k8s.cache.Entry;

/**
 * An object of a load.
 *
 * <p>Thread rule: immutable.
 *
 * @param mapped the object with its slots
 * @param entry its listed state
 */
public record LoadedObject(MappedObject mapped, Entry entry) {}
