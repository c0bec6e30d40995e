// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal;

/**
 * A marker of exceptions that are not caused by the event during which they were thrown: the same
 * event may succeed later.
 */
public interface TransientFailure {}
