// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.options;

/**
 * Receives notices of the cluster, each from every replica that has seen it.
 *
 * <p>Thread rule: called on the admin API's event loop; does not block, and never fails.
 */
@FunctionalInterface
public interface NoticeSink {

  /** Drops all notices. */
  NoticeSink NONE = _ -> {};

  void add(ClusterNotice notice);
}
