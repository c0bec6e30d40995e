// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import static dev.coxswain.host.internal.config.ConfigurationLoader.ADDRESS;
import static dev.coxswain.host.internal.config.ConfigurationLoader.DNS_LABEL;
import static dev.coxswain.host.internal.config.ConfigurationLoader.MILLISECOND;
import static dev.coxswain.host.internal.config.CoxswainConfiguration.LOOPBACK;

import dev.coxswain.host.internal.config.reader.Section;
import dev.coxswain.internal.time.Durations;
import dev.coxswain.sharding.internal.membership.Membership;
import dev.coxswain.sharding.internal.membership.MembershipOptions;
import dev.coxswain.sharding.internal.slot.SlotDivision;
import dev.coxswain.sharding.internal.slot.SlotFunction;

/** Reader of the section {@code membership}. */
final class MembershipSection {

  private MembershipSection() {}

  static Membership read(Section section) {
    Membership result =
        new Membership(
            section.namespace(),
            section.text(
                "name", DNS_LABEL, "the beginning of the names of Leases and slot map", "coxswain"),
            section.text("host", ADDRESS, "the address that other replicas reach", LOOPBACK),
            section.integer(
                "maxReplicas", 1, MembershipOptions.MAX_COUNT, Membership.DEFAULT_MAX_REPLICAS),
            section.duration(
                "leaseDuration",
                Membership.LEAST_LEASE_DURATION,
                Membership.DEFAULT_LEASE_DURATION),
            section.duration("renewPeriod", MILLISECOND, Membership.DEFAULT_RENEW_PERIOD),
            section.powerOfTwo("slots", SlotFunction.MAX_SLOTS, Membership.DEFAULT_SLOTS),
            section.oneOf("slotsBy", SlotDivision.KEY),
            section.integer("weight", 0, Membership.MAX_WEIGHT, Membership.DEFAULT_WEIGHT));
    if (result.leaseDuration().toMillis() % 1000 != 0) {
      section.fault("leaseDuration", "whole seconds, as stored in a Lease");
    } else if (result.renewPeriod().compareTo(result.maxRenewPeriod()) > 0) {
      section.fault(
          "renewPeriod",
          "a duration of at most %s: with this leaseDuration a replica acts for %s after a renewal, and must be able to miss some"
              .formatted(
                  Durations.text(result.maxRenewPeriod()), Durations.text(result.renewDeadline())));
    }
    return result;
  }
}
