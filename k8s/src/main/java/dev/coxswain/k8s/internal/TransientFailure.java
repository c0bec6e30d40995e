// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal;

/**
 * A mark of exceptions that say nothing about the event during which they were thrown: the same
 * event may pass later.
 */
public interface TransientFailure {}
