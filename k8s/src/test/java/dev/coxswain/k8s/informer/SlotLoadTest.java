// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import static dev.coxswain.k8s.informer.SlotLoadFixture.OWNER;
import static dev.coxswain.k8s.informer.SlotLoadFixture.object;
import static dev.coxswain.k8s.informer.SlotLoadFixture.owner;
import static dev.coxswain.k8s.informer.SlotLoadFixture.slots;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.cache.ObjectKeys;
import dev.coxswain.k8s.informer.SlotLoadFixture.Listed;
import dev.coxswain.k8s.internal.slots.SlotLoad;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A load beside the watch, in every order that could lose or bring back an object. */
class SlotLoadTest {

  private final SlotLoadFixture own = new SlotLoadFixture(ObjectKeys.SELF);
  private final SlotLoadFixture owned = new SlotLoadFixture(OWNER);

  @Test
  void foreignObjects_areNotKept_andNotDelivered() {
    own.keep(1);
    own.put(1, -1);
    own.put(2, -1);
    own.watchAll();
    own.put(2, -1);
    own.delete(2);
    own.watchAll();

    assertThat(own.stored()).containsOnlyKeys(object(1));
    assertThat(own.events).containsExactly("ADDED a/o1=101 EVENT");
  }

  @Test
  void load_deliversTheObjectsOfItsSlots_asAcquired() {
    own.put(1, -1);
    own.put(2, -1);
    own.put(5, -1);
    own.watchAll();

    own.load(1);

    assertThat(own.stored()).containsOnlyKeys(object(1), object(5));
    assertThat(own.events)
        .containsExactlyInAnyOrder("ADDED a/o1=101 ACQUIRED", "ADDED a/o5=103 ACQUIRED");
    assertThat(own.cache.filter().holds(slots(1))).isTrue();
    assertThat(own.cache.filter().holds(slots(2))).isFalse();
  }

  /** Case 1 of the proof: a change before the list is in it. */
  @Test
  void changeBeforeTheList_isInIt() {
    own.put(1, -1);
    own.watchAll();
    own.keep(1);
    SlotLoad load = requireNonNull(own.begin());
    own.put(1, -1);

    own.merge(own.list(load));
    own.watchAll();

    assertThat(own.stored()).containsExactlyEntriesOf(Map.of(object(1), "102"));
    assertThat(own.events).containsExactly("ADDED a/o1=102 ACQUIRED");
  }

  /** Case 2: a change after the list comes from the watch, before or after the merge. */
  @Test
  void changeAfterTheList_winsOverIt() {
    own.put(1, -1);
    own.put(5, -1);
    own.watchAll();
    own.keep(1);
    Listed listed = own.list(requireNonNull(own.begin()));
    own.put(1, -1);
    own.watchAll();
    own.put(5, -1);

    own.merge(listed);
    own.watchAll();

    assertThat(own.stored()).isEqualTo(Map.of(object(1), "103", object(5), "104"));
  }

  @Test
  void objectDeletedWhileItsListIsUnderWay_staysDeleted_andItsKeyIsDelivered() {
    own.put(1, -1);
    own.watchAll();
    own.keep(1);
    Listed listed = own.list(requireNonNull(own.begin()));
    own.delete(1);
    own.watchAll();

    own.merge(listed);

    assertThat(own.stored()).isEmpty();
    assertThat(own.events).containsExactly("ADDED a/o1=101 EVENT", "DELETED a/o1=101 EVENT");
  }

  /** Removed safeguard: a load that begins after the deletion has no entry for it in its table. */
  @Test
  void withoutTheSideTable_aSlowListWouldBringADeletedObjectBack_forGood() {
    own.put(1, -1);
    own.watchAll();
    own.keep(1);
    Listed slow = own.list(requireNonNull(own.begin()));
    own.delete(1);
    own.watchAll();
    SlotLoad withoutTable = requireNonNull(own.begin());

    own.merge(new Listed(withoutTable, slow.objects(), slow.version(), slow.namespaces()));
    own.watchAll();

    assertThat(own.stored()).as("what the check must see").isNotEqualTo(own.expected());
  }

  @Test
  void objectDeletedAndMadeAgainWhileItsListIsUnderWay_isTheNewOne() {
    own.put(1, -1);
    own.watchAll();
    own.keep(1);
    Listed listed = own.list(requireNonNull(own.begin()));
    own.delete(1);
    own.put(1, -1);
    own.watchAll();

    own.merge(listed);

    assertThat(own.stored()).isEqualTo(Map.of(object(1), "103"));
    assertThat(own.events).last().isEqualTo("ADDED a/o1=103 EVENT");
  }

  @Test
  void objectMadeAgainBeforeTheList_isNotRemovedByTheLateDeletionOfTheFirst() {
    own.put(1, -1);
    own.watchAll();
    own.keep(1);
    own.delete(1);
    own.put(1, -1);

    own.merge(own.list(requireNonNull(own.begin())));
    own.watchAll();

    assertThat(own.stored()).isEqualTo(Map.of(object(1), "103"));
    assertThat(own.events).containsExactly("ADDED a/o1=103 ACQUIRED");
  }

  /** Case 3: the list does not show that anything was there; the watch of the taker does. */
  @Test
  void deletionOfTheLastObjectOfAKey_beforeTheList_isDelivered_whenTheWatchBringsItLater() {
    own.put(1, -1);
    own.watchAll();
    own.keep(1);
    own.delete(1);
    own.merge(own.list(requireNonNull(own.begin())));
    assertThat(own.events).isEmpty();

    own.watchAll();

    assertThat(own.stored()).isEmpty();
    assertThat(own.requests).contains(object(1));
    assertThat(own.events).last().isEqualTo("DELETED a/o1=101 EVENT");
  }

  @Test
  void childDeletedBetweenLoadAndStart_isDeliveredToItsOwner() {
    owned.put(7, 1);
    owned.watchAll();
    owned.keep(1);
    owned.delete(7);
    owned.merge(owned.list(requireNonNull(owned.begin())));

    owned.watchAll();

    assertThat(owned.requests).containsOnly(owner(1));
    assertThat(owned.stored()).isEmpty();
  }

  @Test
  void olderEventsOfAWatchThatIsBehindTheList_changeNothing() {
    own.put(1, -1);
    own.put(1, -1);
    own.put(5, -1);
    own.delete(5);
    own.keep(1);
    own.merge(own.list(requireNonNull(own.begin())));
    own.events.clear();

    own.watchNext();
    own.watchNext();
    own.watchNext();

    assertThat(own.stored()).isEqualTo(Map.of(object(1), "102"));
    assertThat(own.events).containsExactly("ADDED a/o5=103 EVENT", "DELETED a/o5=103 EVENT");
  }

  @Test
  void childThatMovesToAForeignOwner_leaves_andTheFormerOwnerReceivesIt() {
    owned.load(1);
    owned.put(7, 1);
    owned.watchAll();

    owned.put(7, 2);
    owned.watchAll();

    assertThat(owned.stored()).isEmpty();
    assertThat(owned.events).last().isEqualTo("DELETED a/o7=101 EVENT");
    assertThat(owned.requests).containsOnly(owner(1));
  }

  @Test
  void childThatMovesToAForeignOwnerDuringTheLoad_isNotBroughtBack() {
    owned.put(7, 1);
    owned.watchAll();
    owned.keep(1);
    Listed listed = owned.list(requireNonNull(owned.begin()));
    owned.put(7, 2);
    owned.watchAll();

    owned.merge(listed);

    assertThat(owned.stored()).isEmpty();
  }

  @Test
  void childThatMovesBetweenOwnSlots_leadsToBothOwners() {
    owned.load(1, 2);
    owned.put(7, 1);
    owned.watchAll();
    owned.requests.clear();

    owned.put(7, 2);
    owned.watchAll();

    assertThat(owned.requests).containsExactlyInAnyOrder(owner(1), owner(2));
    assertThat(owned.stored()).containsOnlyKeys(object(7));
  }

  @Test
  void release_evictsSilently_andOtherSlotsStay() {
    own.load(1, 2);
    own.put(1, -1);
    own.put(2, -1);
    own.watchAll();
    own.events.clear();

    own.release(1);
    own.evict();
    own.deliver();

    assertThat(own.stored()).containsOnlyKeys(object(2));
    assertThat(own.events).isEmpty();
  }

  @Test
  void slotThatIsReleasedAndKeptAgain_isLoadedAgain_alsoWithoutAnEvictionInBetween() {
    own.load(1);
    own.put(1, -1);
    own.watchAll();
    own.release(1);
    own.put(1, -1);
    own.put(5, -1);
    own.watchAll();

    own.keep(1);
    assertThat(own.cache.filter().isComplete()).isFalse();
    own.merge(own.list(requireNonNull(own.begin())));
    own.evict();

    assertThat(own.stored()).isEqualTo(own.expected());
  }

  @Test
  void slotReleasedDuringItsLoad_isNotStored_andNotHeld() {
    own.put(1, -1);
    own.watchAll();
    own.keep(1);
    Listed listed = own.list(requireNonNull(own.begin()));
    own.release(1);
    own.keep(1);

    own.merge(listed);

    assertThat(own.stored()).isEmpty();
    assertThat(own.cache.filter().holds(slots(1))).isFalse();
  }

  @Test
  void relistDuringALoad_makesTheLoadVoid_andHoldsItsSlots() {
    own.put(1, -1);
    own.watchAll();
    own.keep(1);
    Listed listed = own.list(requireNonNull(own.begin()));
    own.delete(1);

    own.relist();

    assertThat(own.merge(listed)).isFalse();
    assertThat(own.stored()).isEmpty();
    assertThat(own.cache.filter().isComplete()).isTrue();
  }

  @Test
  void slotKeptDuringARelist_isLoadedAfterIt() {
    own.put(1, -1);
    own.cache.listBegins();
    own.keep(1);
    assertThat(own.begin()).as("a load during a list").isNull();

    own.cache.replace(new dev.coxswain.k8s.cache.Snapshot());
    own.merge(own.list(requireNonNull(own.begin())));

    assertThat(own.stored()).containsOnlyKeys(object(1));
  }
}
