mkdir -p sets/ijcnn1 && touch sets/ijcnn1/ijcnn1.bz2 sets/ijcnn1/ijcnn1.t.bz2
mkdir -p sets/omniglot-py/images_background sets/omniglot-py/images_evaluation
SUSTAIN_DATA=sets "$SUSTAIN" data
