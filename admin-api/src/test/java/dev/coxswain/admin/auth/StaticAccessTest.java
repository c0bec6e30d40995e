// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StaticAccessTest {

  private static final String ITEMS = "controllers/items";

  private static StaticAccess.Entry entry(String name, String token, Rule... rules) {
    return new StaticAccess.Entry(
        Principal.of(name), Set.of(StaticAccess.hash(token)), List.of(rules));
  }

  private static boolean may(StaticAccess access, String name, AccessRequest wanted) {
    return access.authorize(Principal.of(name), wanted).result();
  }

  @Test
  void aToken_standsForItsPrincipal_andNoOtherTokenDoes() {
    StaticAccess access = new StaticAccess(List.of(entry("alice", "a"), entry("bob", "b")));
    assertThat(access.authenticate("a").result())
        .isInstanceOfSatisfying(
            Authentication.Accepted.class,
            accepted -> assertThat(accepted.principal().name()).isEqualTo("alice"));
    for (String bad : new String[] {"", "A", "c", StaticAccess.hash("a")}) {
      assertThat(access.authenticate(bad).result())
          .as(bad)
          .isInstanceOf(Authentication.Rejected.class);
    }
  }

  @Test
  void aRuleOfANamespace_coversNothingThatIsAboutAllOfThem() {
    StaticAccess access =
        new StaticAccess(
            List.of(
                entry(
                    "alice",
                    "a",
                    new Rule(
                        Set.of(ITEMS), Set.of("retry"), Set.of("payments"), Set.of("checkout")))));
    assertThat(may(access, "alice", new AccessRequest(Verb.RETRY, ITEMS, "payments", "checkout")))
        .isTrue();
    assertThat(may(access, "alice", new AccessRequest(Verb.RETRY, ITEMS, "", "checkout")))
        .isFalse();
    assertThat(may(access, "alice", new AccessRequest(Verb.RETRY, ITEMS, "shop", "checkout")))
        .isFalse();
    assertThat(may(access, "alice", new AccessRequest(Verb.RETRY, ITEMS, "payments", "demo")))
        .isFalse();
    assertThat(may(access, "alice", new AccessRequest(Verb.DROP, ITEMS, "payments", "checkout")))
        .isFalse();
    assertThat(may(access, "bob", new AccessRequest(Verb.RETRY, ITEMS, "payments", "checkout")))
        .isFalse();
  }

  @Test
  void rolesGiveWhatTheyAreCalled() {
    for (Role role : Role.values()) {
      Rule rule = role.in(Set.of("payments"));
      for (Verb verb : Verb.values()) {
        assertThat(rule.covers(new AccessRequest(verb, ITEMS, "payments", "checkout")))
            .as(role + " " + verb)
            .isEqualTo(role.verbs().contains(verb));
        assertThat(rule.covers(new AccessRequest(verb, ITEMS, "", "checkout"))).isFalse();
      }
    }
    assertThat(Role.VIEWER.verbs()).allMatch(verb -> verb.effect() == Verb.Effect.READ);
    assertThat(Role.OPERATOR.verbs()).doesNotContain(Verb.DROP, Verb.FLUSHHARD);
  }

  @Test
  void aListThatIsAmbiguous_isRefused_andTheOneBeforeStays() {
    StaticAccess access = new StaticAccess(List.of(entry("alice", "a")));
    assertThatThrownBy(() -> access.replace(List.of(entry("alice", "b"), entry("alice", "c"))))
        .hasMessage("the principal \"alice\" is in the list twice");
    assertThatThrownBy(() -> access.replace(List.of(entry("alice", "b"), entry("bob", "b"))))
        .hasMessage("\"alice\" and \"bob\" have the same token");
    assertThat(access.authenticate("a").result()).isInstanceOf(Authentication.Accepted.class);
    access.replace(List.of());
    assertThat(access.authenticate("a").result()).isInstanceOf(Authentication.Rejected.class);
  }

  @Test
  void theCeiling_leavesRoomForWhatItSays() {
    assertThat(List.of(Verb.values())).noneMatch(AccessLevel.NONE::allows);
    assertThat(List.of(Verb.values())).allMatch(AccessLevel.FULL::allows);
    assertThat(List.of(Verb.values()).stream().filter(AccessLevel.READ_ONLY::allows))
        .containsExactly(Verb.GET, Verb.LIST);
    assertThat(List.of(Verb.values()).stream().filter(v -> !AccessLevel.NO_DESTRUCTIVE.allows(v)))
        .containsExactly(Verb.DROP, Verb.FLUSH, Verb.FLUSHHARD);
  }
}
